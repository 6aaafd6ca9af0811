/*
 * x87's remainders, fprem and fprem1. The engine computes them in a double's
 * precision; the manual defines each bit. Finite numbers are done here, a divisor
 * of 0 and what is no number by the engine.
 */
#include "extended.h"

enum { COMPLETE = 63 }; /* the largest difference of exponents that one step finishes */

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
	if (!number_load(m, UC_X86_REG_ST0, &a) || !number_load(m, UC_X86_REG_ST1, &b) || !b.mantissa)
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
	number_store(m, UC_X86_REG_ST0, a);

	uc_reg_read(m->uc, UC_X86_REG_FPSW, &status);
	status &= (uint16_t)~(STATUS_C0 | STATUS_C1 | STATUS_C2 | STATUS_C3);
	status |= partial ? STATUS_C2 : 0;
	status |= quotient & 4 ? STATUS_C0 : 0;
	status |= quotient & 2 ? STATUS_C3 : 0;
	status |= quotient & 1 ? STATUS_C1 : 0;
	uc_reg_write(m->uc, UC_X86_REG_FPSW, &status);
	return true;
}
