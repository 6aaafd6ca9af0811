/* x87's registers as numbers that one can calculate with. */
#include "extended.h"

#include <string.h>

/* Shifts the highest bit to its place; a denormal number has a lower exponent then
 * than a register can have. */
static void normalise(struct number *n)
{
	while (n->mantissa && !(n->mantissa >> 63)) {
		n->mantissa <<= 1;
		n->exponent--;
	}
}

/* Whether the register has a finite number. If not, n has its bits as they are. */
bool number_load(const struct machine *m, int reg, struct number *n)
{
	uint8_t bytes[16] = { 0 };
	uint16_t top;
	uc_reg_read(m->uc, reg, bytes);
	memcpy(&n->mantissa, bytes, sizeof n->mantissa);
	memcpy(&top, bytes + 8, sizeof top);
	n->exponent = top & EXPONENT;
	n->negative = top & SIGN;
	bool denormal = !n->exponent && !(n->mantissa >> 63); /* or 0 */
	if (!denormal && (!n->exponent || n->exponent == EXPONENT || !(n->mantissa >> 63)))
		return false;
	n->exponent += denormal;
	normalise(n);
	return true;
}

/* Bits that are too small for a register are cut off. None has a larger exponent. */
void number_store(struct machine *m, int reg, struct number n)
{
	uint8_t bytes[16] = { 0 };
	normalise(&n);
	if (!n.mantissa)
		n.exponent = 0;
	if (n.exponent < 1 && n.mantissa) {
		n.mantissa = n.exponent < -62 ? 0 : n.mantissa >> (1 - n.exponent);
		n.exponent = 0;
	}
	uint16_t top = (uint16_t)(n.exponent | (n.negative ? SIGN : 0));
	memcpy(bytes, &n.mantissa, sizeof n.mantissa);
	memcpy(bytes + 8, &top, sizeof top);
	uc_reg_write(m->uc, reg, bytes);
}
