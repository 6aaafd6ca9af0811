/* A number of x87's ten bytes, taken apart. */
#ifndef LANDGO_EXTENDED_H
#define LANDGO_EXTENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

/* mantissa * 2^(exponent - 16383 - 63); the mantissa's highest bit is 1, or it is 0. */
struct number {
	uint64_t mantissa;
	int exponent;
	bool negative;
};

enum {
	EXPONENT = 0x7fff, /* of infinities, and of what is no number */
	EXPONENT_ONE = 16383,
	SIGN = 0x8000,
	STATUS_INVALID = 1 << 0,
	STATUS_ZERO_DIVIDE = 1 << 2,
	STATUS_C0 = 1 << 8,
	STATUS_C1 = 1 << 9,
	STATUS_C2 = 1 << 10,
	STATUS_C3 = 1 << 14,
	STATUS_TOP = 7 << 11,
};

bool number_load(const struct machine *m, int reg, struct number *n);
void number_store(struct machine *m, int reg, struct number n);

#endif
