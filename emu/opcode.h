/*
 * What classify.c and twobyte.c have in common: an instruction's bytes, and the
 * classes that their tables give.
 */
#ifndef LANDGO_OPCODE_H
#define LANDGO_OPCODE_H

#include "classify.h"

enum {
	LONGEST_INSN = 15,
	REX_B = 1,
	REX_R = 4,
	REX_W = 8,
};

/* The bytes of an instruction that its kind may depend on. */
struct bytes {
	const uint8_t *p;
	uint32_t n;
	uint32_t at; /* of the opcode */
	bool is32;
	bool lock;
	bool repne; /* F2 */
	bool rep;   /* F3 */
	bool data16;
	bool wide; /* REX.W */
	uint8_t rex;
};

/* Byte i after the opcode's first; 0 where the instruction can't be read. */
static inline uint8_t peek(const struct bytes *b, uint32_t i)
{
	uint32_t at = b->at + i;
	return at < b->n ? b->p[at] : 0;
}

static inline bool in_memory(uint8_t modrm)
{
	return modrm >> 6 != 3;
}

static inline uint8_t digit(uint8_t modrm)
{
	return modrm >> 3 & 7;
}

static inline struct insn plain(void)
{
	return (struct insn){ .kind = KIND_PLAIN };
}

static inline struct insn unmodelled(const char *name)
{
	return (struct insn){ .kind = KIND_UNMODELLED, .name = name };
}

/* Instructions that kernels need and programs don't. */
static inline struct insn of_system(const char *name)
{
	struct insn x = unmodelled(name);
	x.system = true;
	return x;
}

static inline struct insn privileged(const char *name)
{
	return (struct insn){ .kind = KIND_PRIVILEGED, .name = name };
}

static inline struct insn illegal(void)
{
	return (struct insn){ .kind = KIND_ILLEGAL };
}

static inline struct insn whole(const struct bytes *b, enum kind kind, uint32_t opcode_len)
{
	return (struct insn){ .kind = kind, .len = (uint8_t)(b->at + opcode_len) };
}

static inline struct insn loads(enum control c)
{
	return (struct insn){ .kind = KIND_CONTROL, .control = c };
}

static inline enum mandatory mandatory(const struct bytes *b)
{
	if (b->rep || b->repne)
		return b->rep ? PREFIX_F3 : PREFIX_F2;
	return b->data16 ? PREFIX_66 : PREFIX_NONE;
}

/* The two-byte opcodes, 0F and what follows (twobyte.c). */
struct insn map0f(const struct bytes *b);

#endif
