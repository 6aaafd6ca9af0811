/*
 * What an instruction asks of its operand, and the processor checks. A whole SSE
 * operand in memory is aligned, and a lock prefix stands where one may. A control
 * word that is loaded has no effect that isn't modelled. The engine checks none of
 * them.
 */
#include <string.h>

#include "classify.h"
#include "machine.h"

enum {
	SSE = 16,         /* bytes of an operand */
	MASKS = 0x3f,     /* of the six floating-point exceptions */
	MXCSR_MASKS = 7,  /* their first bit in MXCSR; in x87's control word it is 0 */
	MXCSR_FLUSH = 1 << 15,
	FX_MXCSR = 24,    /* where fxrstor's operand has MXCSR */
};

static bool between(uint8_t op, uint8_t first, uint8_t last)
{
	return op >= first && op <= last;
}

/* 0F 38. Moves that extend (20 to 25, 30 to 35) read less. */
static bool aligned38(uint8_t op, enum mandatory p)
{
	return p == PREFIX_66 && (op <= 0x1F || between(op, 0x28, 0x2B) || between(op, 0x37, 0x41));
}

/* 0F 3A. Scalars, single elements and the comparisons of strings aren't aligned. */
static bool aligned3a(uint8_t op, enum mandatory p)
{
	return p == PREFIX_66 && (op == 0x08 || op == 0x09 || between(op, 0x0C, 0x0F) || between(op, 0x40, 0x42));
}

/* 0F 60 and on with prefix 66: MMX's operations on 16 bytes. */
static bool aligned66(uint8_t op)
{
	switch (op) {
	case 0x6E: /* movd, movq */
	case 0x7E:
	case 0xC4: /* pinsrw */
	case 0xD6: /* movq */
		return false;
	}
	return between(op, 0x60, 0x70) || between(op, 0x74, 0x76) || op == 0x7C || op == 0x7D || op == 0x7F || op >= 0xD0;
}

bool needs_alignment(const uint8_t *opcode, enum mandatory p)
{
	uint8_t op = opcode[1];
	bool packed = p == PREFIX_NONE || p == PREFIX_66;
	if (opcode[0] != 0x0F)
		return false;
	bool longer = op == 0x38 || op == 0x3A;
	if (opcode[longer ? 3 : 2] >> 6 == 3)
		return false; /* no operand in memory */
	if (longer)
		return op == 0x38 ? aligned38(opcode[2], p) : aligned3a(opcode[2], p);
	switch (op) {
	case 0x12: /* movsldup, movshdup; else half an operand */
	case 0x16:
		return p == PREFIX_F3;
	case 0x2C: /* to MMX registers; scalars */
	case 0x2D:
		return p == PREFIX_66;
	case 0x14:
	case 0x15:
	case 0x28:
	case 0x29:
	case 0x2B:
	case 0xC2:
	case 0xC6:
		return packed;
	case 0x52: /* rsqrtps, rcpps */
	case 0x53:
		return p == PREFIX_NONE;
	case 0x5A: /* cvtps2pd reads half */
		return p == PREFIX_66;
	case 0x5B:
		return p != PREFIX_F2;
	case 0x70:
		return p != PREFIX_NONE;
	case 0x7C:
	case 0x7D:
	case 0xD0:
	case 0xE6: /* cvtdq2pd reads half */
		return p == PREFIX_66 || p == PREFIX_F2;
	}
	if (between(op, 0x51, 0x5F))
		return packed;
	return p == PREFIX_66 && aligned66(op);
}

/* Of the two-byte opcodes. */
static bool lockable0f(uint8_t op, uint8_t digit)
{
	switch (op) {
	case 0xAB: /* bts, btr, btc */
	case 0xB3:
	case 0xBB:
	case 0xB0: /* cmpxchg */
	case 0xB1:
	case 0xC0: /* xadd */
	case 0xC1:
		return true;
	case 0xBA:
		return digit >= 5; /* bts, btr, btc */
	case 0xC7:
		return digit == 1; /* cmpxchg8b, cmpxchg16b */
	}
	return false;
}

bool lockable(const uint8_t *opcode)
{
	uint8_t op = opcode[0];
	uint8_t modrm = opcode[op == 0x0F ? 2 : 1];
	uint8_t digit = modrm >> 3 & 7;
	if (modrm >> 6 == 3)
		return false;
	if (op < 0x38)
		return op == 0x0F ? lockable0f(opcode[1], digit) : (op & 7) <= 1;
	switch (op) {
	case 0x80:
	case 0x81:
	case 0x82:
	case 0x83:
		return digit != 7; /* cmp */
	case 0x86:
	case 0x87:
		return true;
	case 0xF6:
	case 0xF7:
		return digit == 2 || digit == 3; /* not, neg */
	case 0xFE:
	case 0xFF:
		return digit <= 1; /* inc, dec */
	}
	return false;
}

/* Whether a control word of the floating-point unit, with its masks at a bit,
 * lets an exception become one of the processor. */
static bool unmasks(uint32_t word, int at)
{
	return (word >> at & MASKS) != MASKS;
}

static const char exceptions[] = "an unmasked floating-point exception (feenableexcept, fldcw, ldmxcsr)";

/* What MXCSR would ask for that isn't modelled, or NULL. The engine has x87 flush its
 * results in place of SSE. */
static const char *mxcsr_unmodelled(uint32_t word)
{
	if (unmasks(word, MXCSR_MASKS))
		return exceptions;
	return (word & MXCSR_FLUSH) ? "flushing tiny results to zero (-ffast-math or -Ofast where the program is linked, ldmxcsr)" : NULL;
}

/* The word at an address; where it can't be read, one that does nothing. */
static uint32_t word_at(const struct machine *m, uint64_t addr, uint32_t size)
{
	uint32_t word = 0;
	uint64_t last = addr + size - 1;
	if (last >= m->space || last < addr || !(m->perm[addr >> PAGE_SHIFT] & m->perm[last >> PAGE_SHIFT] & PERM_READ))
		return UINT32_MAX & ~(FLAG_AC | MXCSR_FLUSH);
	memcpy(&word, m->mem + addr, size);
	return word;
}

/* Whether the word that an instruction of KIND_CONTROL is about to load, from
 * addr, has an effect that isn't modelled: what, or NULL. */
static const char *loads_unmodelled(const struct machine *m, uint64_t addr, uint32_t size)
{
	uint32_t word = word_at(m, addr, size < sizeof word ? size : sizeof word);
	switch (m->guard.control) {
	case CONTROL_FLAGS:
		return (word & FLAG_AC) ? "alignment checks (the AC flag)" : NULL;
	case CONTROL_MXCSR:
		return mxcsr_unmodelled(word);
	case CONTROL_X87:
		return unmasks(word, 0) ? exceptions : NULL;
	case CONTROL_BOTH:
		return unmasks(word, 0) ? exceptions : mxcsr_unmodelled(word_at(m, addr + FX_MXCSR, sizeof word));
	case CONTROL_NONE:
		break;
	}
	return NULL;
}

bool operand_refused(struct machine *m, uint64_t addr, uint32_t size)
{
	m->guard.insn = 0; /* its further accesses are parts of the same operand */
	if (m->guard.aligned && addr % SSE) {
		stop_in_access(m);
		stop_exception(m, VECTOR_PROTECTION, FAULT_PROTECTION, m->pc);
		return true;
	}
	const char *what = loads_unmodelled(m, addr, size);
	if (!what)
		return false;
	stop_in_access(m);
	stop_unmodelled(m, what);
	return true;
}
