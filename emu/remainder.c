/*
 * x87's remainders, fprem and fprem1. The engine computes them in a double's
 * precision; the manual defines each bit. Finite numbers are done here, a divisor
 * of 0 and what is no number by the engine.
 *
 * A number is mantissa * 2^(exponent - 63), its mantissa's highest bit is 1.
 */
#include <string.h>

#include "machine.h"

enum {
	EXPONENT = 0x7fff,
	SIGN = 0x8000,
	STATUS_C0 = 1 << 8,
	STATUS_C1 = 1 << 9,
	STATUS_C2 = 1 << 10,
	STATUS_C3 = 1 << 14,
	COMPLETE = 63, /* the largest difference of exponents that one step finishes */
};

struct number {
	uint64_t mantissa;
	int exponent;
	bool negative;
};

/* Shifts the highest bit to its place; a denormal number has a lower exponent then
 * than a register can have. */
static void normalise(struct number *n)
{
	while (n->mantissa && !(n->mantissa >> 63)) {
		n->mantissa <<= 1;
		n->exponent--;
	}
}

/* Whether the register has a finite number. */
static bool load(const struct machine *m, int reg, struct number *n)
{
	uint8_t bytes[16] = { 0 };
	uint16_t top;
	uc_reg_read(m->uc, reg, bytes);
	memcpy(&n->mantissa, bytes, sizeof n->mantissa);
	memcpy(&top, bytes + 8, sizeof top);
	n->exponent = top & EXPONENT;
	n->negative = top & SIGN;
	bool denormal = !n->exponent && !(n->mantissa >> 63); /* or 0 */
	bool finite = denormal || (n->exponent && n->exponent != EXPONENT && n->mantissa >> 63);
	n->exponent += denormal;
	normalise(n);
	return finite;
}

static void store(struct machine *m, int reg, struct number n)
{
	uint8_t bytes[16] = { 0 };
	normalise(&n);
	if (!n.mantissa)
		n.exponent = 0;
	if (n.exponent < 1 && n.mantissa) { /* no bit is lost: b has no smaller one */
		n.mantissa >>= 1 - n.exponent;
		n.exponent = 0;
	}
	uint16_t top = (uint16_t)(n.exponent | (n.negative ? SIGN : 0));
	memcpy(bytes, &n.mantissa, sizeof n.mantissa);
	memcpy(bytes + 8, &top, sizeof top);
	uc_reg_write(m->uc, reg, bytes);
}

/* Takes b from a as often as it fits, bit by bit, in steps steps. Returns the last
 * bits of the quotient. a's exponent is then that of what is left. */
static uint64_t divide(struct number *a, const struct number *b, int steps)
{
	unsigned __int128 rest = a->mantissa;
	uint64_t quotient = 0;
	for (int i = 0; i <= steps; i++) {
		rest <<= i > 0;
		quotient = quotient << 1 | (rest >= b->mantissa);
		if (rest >= b->mantissa)
			rest -= b->mantissa;
	}
	a->mantissa = (uint64_t)rest;
	a->exponent -= steps;
	return quotient;
}

/* Makes what is left, of an exponent with b's, the nearest to 0. */
static uint64_t round_quotient(struct number *a, const struct number *b, uint64_t quotient)
{
	uint64_t other = b->mantissa - a->mantissa;
	if (a->mantissa < other || (a->mantissa == other && !(quotient & 1)))
		return quotient;
	a->mantissa = other;
	a->negative = !a->negative;
	return quotient + 1;
}

/* The same of one that has half of b's exponent: 2b - a would be left. */
static uint64_t round_half(struct number *a, const struct number *b)
{
	if (a->mantissa <= b->mantissa)
		return 0;
	a->mantissa = (uint64_t)(((unsigned __int128)b->mantissa << 1) - a->mantissa);
	a->negative = !a->negative;
	return 1;
}

bool x87_remainder(struct machine *m, bool nearest)
{
	struct number a;
	struct number b;
	uint16_t status = 0;
	uint64_t quotient = 0;
	if (!load(m, UC_X86_REG_ST0, &a) || !load(m, UC_X86_REG_ST1, &b) || !b.mantissa)
		return false;
	int difference = a.mantissa ? a.exponent - b.exponent : -2;
	bool partial = difference > COMPLETE;
	if (partial)
		divide(&a, &b, 32 + difference % 32);
	else if (difference >= 0)
		quotient = divide(&a, &b, difference);
	if (nearest && !partial && difference >= 0)
		quotient = round_quotient(&a, &b, quotient);
	else if (nearest && difference == -1)
		quotient = round_half(&a, &b);
	store(m, UC_X86_REG_ST0, a);

	uc_reg_read(m->uc, UC_X86_REG_FPSW, &status);
	status &= (uint16_t)~(STATUS_C0 | STATUS_C1 | STATUS_C2 | STATUS_C3);
	status |= partial ? STATUS_C2 : 0;
	status |= quotient & 4 ? STATUS_C0 : 0;
	status |= quotient & 2 ? STATUS_C3 : 0;
	status |= quotient & 1 ? STATUS_C1 : 0;
	uc_reg_write(m->uc, UC_X86_REG_FPSW, &status);
	return true;
}
