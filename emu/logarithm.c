/*
 * x87's logarithms, powers of two and arctangent: fyl2x, fyl2xp1, f2xm1, fpatan. The
 * engine leaves fyl2x undone where x isn't above 0; the stack has a number too many
 * then. What is near 0 comes out as 0, and fpatan takes only doubles. Here the result has a double's 53 bits in the whole range of the ten
 * bytes.
 */
#include <math.h>

#include "extended.h"

enum { TINY = 64 }; /* below 2^-TINY the first term of the series is all of it */

/* What a register holds: a finite number or not, then the sign and the mantissa are its. */
struct operand {
	struct number n;
	bool finite;
};

static struct operand operand(const struct machine *m, int reg)
{
	struct operand o;
	o.finite = number_load(m, reg, &o.n);
	return o;
}

static bool infinite(const struct operand *o)
{
	return !o->finite && o->n.exponent == EXPONENT && o->n.mantissa == 1ULL << 63;
}

/* A format that today's x87 refuses counts as no number without a payload. */
static bool nan_of(const struct operand *o)
{
	return !o->finite && o->n.exponent == EXPONENT && o->n.mantissa >> 63 && !infinite(o);
}

/* The number, if a double has it nearly; beyond its range infinity, or 0. */
static double approximate(const struct number *n)
{
	double magnitude = ldexp((double)n->mantissa, n->exponent - EXPONENT_ONE - 63);
	return n->negative ? -magnitude : magnitude;
}

/* d * 2^scale, or infinity */
static struct number scaled(double d, int scale)
{
	int exponent;
	double fraction = frexp(fabs(d), &exponent); /* in [0.5, 1), or 0 */
	struct number n = { .mantissa = (uint64_t)ldexp(fraction, 64), .negative = signbit(d) };
	n.exponent = exponent - 1 + EXPONENT_ONE + scale;
	if (n.mantissa && n.exponent >= EXPONENT) {
		n.mantissa = 1ULL << 63;
		n.exponent = EXPONENT;
	}
	return n;
}

/* A double that is 0, or in no need of a scale. */
static struct number of_double(double d)
{
	struct number n = { .negative = signbit(d) };
	return d == 0 ? n : scaled(d, 0);
}

/* n * d: of each the 53 bits that count. */
static struct number times(const struct number *n, double d, int scale)
{
	double m = ldexp((double)n->mantissa, -63);
	return scaled((n->negative ? -m : m) * d, n->exponent - EXPONENT_ONE + scale);
}

/* log2 of a finite x above 0. */
static double log2_of(const struct number *x)
{
	int exponent = x->exponent - EXPONENT_ONE;
	const uint64_t half = 1ULL << 62;
	if (exponent == 0 && !(x->mantissa & half)) /* in [1, 1.5): the rest is exact in 63 bits */
		return log1p(ldexp((double)(x->mantissa - 2 * half), -63)) * M_LOG2E;
	if (exponent == -1 && x->mantissa & half) /* in [0.75, 1) */
		return log1p(-ldexp((double)-x->mantissa, -64)) * M_LOG2E;
	return exponent + log2(ldexp((double)x->mantissa, -63));
}

/* The logarithm of any number: infinite, or none, where it has to be. */
static double limit_log2(const struct operand *x)
{
	bool zero = x->finite && !x->n.mantissa;
	if (zero)
		return -INFINITY;
	if (x->n.negative)
		return NAN;
	if (!x->finite)
		return INFINITY;
	return log2_of(&x->n);
}

static double limit_log2p1(const struct operand *x)
{
	if (!x->finite)
		return x->n.negative ? NAN : (double)INFINITY;
	if (!x->n.mantissa)
		return x->n.negative ? -0.0 : 0.0;
	double d = approximate(&x->n);
	return d == 0 ? copysign(1, d) : log1p(d);
}

static double limit_factor(const struct operand *y)
{
	double magnitude = !y->finite ? (double)INFINITY : y->n.mantissa ? 1 : 0;
	return y->n.negative ? -magnitude : magnitude;
}

static void raise_status(struct machine *m, uint16_t flags)
{
	uint16_t status = 0;
	uc_reg_read(m->uc, UC_X86_REG_FPSW, &status);
	status = (uint16_t)((status & ~STATUS_C1) | flags);
	uc_reg_write(m->uc, UC_X86_REG_FPSW, &status);
}

static const struct number indefinite = { .mantissa = 3ULL << 62, .exponent = EXPONENT, .negative = true };

static bool no_number(const struct operand *o)
{
	return !o->finite && !infinite(o);
}

/* The operand that is no number, quiet; of two the one with the larger mantissa. */
static struct number not_a_number(struct machine *m, const struct operand *x, const struct operand *y)
{
	const uint64_t quiet = 1ULL << 62;
	bool from_x = nan_of(x);
	bool from_y = nan_of(y);
	if ((no_number(x) && !from_x) || (no_number(y) && !from_y)) {
		raise_status(m, STATUS_INVALID);
		return indefinite;
	}
	if ((from_x && !(x->n.mantissa & quiet)) || (from_y && !(y->n.mantissa & quiet)))
		raise_status(m, STATUS_INVALID);
	struct number n = from_x && (!from_y || x->n.mantissa > y->n.mantissa) ? x->n : y->n;
	n.mantissa |= quiet;
	return n;
}

/* Whether one of the two registers has nothing: the engine has the result. */
static bool missing(const struct machine *m, int operands)
{
	uint16_t status = 0;
	uint16_t tags = 0;
	uc_reg_read(m->uc, UC_X86_REG_FPSW, &status);
	uc_reg_read(m->uc, UC_X86_REG_FPTAG, &tags);
	for (unsigned top = (status & STATUS_TOP) >> 11; operands--; top = (top + 1) & 7)
		if ((tags >> (2 * top) & 3) == 3)
			return true;
	return false;
}

/* Reads both operands, if they are there. */
static bool operands(struct machine *m, struct operand *x, struct operand *y)
{
	if (missing(m, 2))
		return false;
	*x = operand(m, UC_X86_REG_ST0);
	*y = operand(m, UC_X86_REG_ST1);
	raise_status(m, 0);
	return true;
}

/* Leaves r alone in the place of both operands. */
static void pop_with(struct machine *m, struct number r)
{
	uint16_t status = 0;
	uint16_t tags = 0;
	number_store(m, UC_X86_REG_ST1, r);
	uc_reg_read(m->uc, UC_X86_REG_FPSW, &status);
	uc_reg_read(m->uc, UC_X86_REG_FPTAG, &tags);
	unsigned top = (status & STATUS_TOP) >> 11;
	tags |= (uint16_t)(3U << (2 * top));
	status = (uint16_t)((status & ~STATUS_TOP) | (((top + 1) & 7) << 11));
	uc_reg_write(m->uc, UC_X86_REG_FPSW, &status);
	uc_reg_write(m->uc, UC_X86_REG_FPTAG, &tags);
}

/* A product with a factor that is 0 or not finite. */
static struct number limit(struct machine *m, const struct operand *y, double logarithm, bool of_zero)
{
	double r = limit_factor(y) * logarithm;
	if (isnan(r)) {
		raise_status(m, STATUS_INVALID);
		return indefinite;
	}
	if (of_zero && y->finite)
		raise_status(m, STATUS_ZERO_DIVIDE);
	if (isinf(r))
		return (struct number){ .mantissa = 1ULL << 63, .exponent = EXPONENT, .negative = r < 0 };
	return (struct number){ .negative = signbit(r) };
}

bool x87_log2(struct machine *m)
{
	struct operand x;
	struct operand y;
	if (!operands(m, &x, &y))
		return false;
	bool zero = x.finite && !x.n.mantissa;
	if (no_number(&x) || no_number(&y))
		pop_with(m, not_a_number(m, &x, &y));
	else if (!x.finite || zero || x.n.negative || !y.finite || !y.n.mantissa)
		pop_with(m, limit(m, &y, limit_log2(&x), zero));
	else
		pop_with(m, times(&y.n, log2_of(&x.n), 0));
	return true;
}

bool x87_log2p1(struct machine *m)
{
	struct operand x;
	struct operand y;
	if (!operands(m, &x, &y))
		return false;
	if (no_number(&x) || no_number(&y))
		pop_with(m, not_a_number(m, &x, &y));
	else if (!x.finite || !x.n.mantissa || !y.finite || !y.n.mantissa || isnan(limit_log2p1(&x)))
		pop_with(m, limit(m, &y, limit_log2p1(&x), false));
	else if (x.n.exponent < EXPONENT_ONE - TINY)
		pop_with(m, times(&y.n, (x.n.negative ? -M_LOG2E : M_LOG2E) * ldexp((double)x.n.mantissa, -63),
		                  x.n.exponent - EXPONENT_ONE));
	else
		pop_with(m, times(&y.n, log1p(approximate(&x.n)) * M_LOG2E, 0));
	return true;
}

/* A double with the operand's class and sign, and its size if it is near 1. */
static double scaled_down(const struct operand *o, int exponent)
{
	if (!o->finite)
		return limit_factor(o);
	double magnitude = ldexp(ldexp((double)o->n.mantissa, -63), o->n.exponent - exponent);
	return o->n.negative ? -magnitude : magnitude;
}

bool x87_arctangent(struct machine *m)
{
	struct operand x;
	struct operand y;
	if (!operands(m, &x, &y))
		return false;
	if (no_number(&x) || no_number(&y)) {
		pop_with(m, not_a_number(m, &x, &y));
		return true;
	}
	bool finite = x.finite && y.finite && x.n.mantissa && y.n.mantissa;
	int ey = y.n.exponent;
	int ex = x.n.exponent;
	int distance = finite ? ey - ex : 0;
	if (distance < -TINY && !x.n.negative) { /* the quotient */
		double quotient = ldexp((double)y.n.mantissa, -63) / ldexp((double)x.n.mantissa, -63);
		pop_with(m, scaled(y.n.negative ? -quotient : quotient, distance));
	} else {
		if (finite) /* the smaller one may become 0 */
			ex = ey = distance < 0 ? ex : ey;
		pop_with(m, of_double(atan2(scaled_down(&y, ey), scaled_down(&x, ex))));
	}
	return true;
}

/* Of arguments outside of -1 to 1 the manual says nothing. */
bool x87_exp2m1(struct machine *m)
{
	struct operand x = operand(m, UC_X86_REG_ST0);
	if (missing(m, 1) || !x.finite || x.n.exponent > EXPONENT_ONE)
		return false;
	if (x.n.exponent < EXPONENT_ONE - TINY) /* 0 too */
		number_store(m, UC_X86_REG_ST0, times(&x.n, M_LN2, 0));
	else if (x.n.exponent >= EXPONENT_ONE - 1) /* exact where a power is */
		number_store(m, UC_X86_REG_ST0, scaled(exp2(approximate(&x.n)) - 1, 0));
	else
		number_store(m, UC_X86_REG_ST0, scaled(expm1(approximate(&x.n) * M_LN2), 0));
	return true;
}
