#include "opcode.h"

static void skip_prefixes(struct bytes *b)
{
	for (; b->at < b->n; b->at++) {
		uint8_t c = b->p[b->at];
		switch (c) {
		case 0xF0:
			b->lock = true;
			continue;
		case 0xF2:
			b->repne = true;
			continue;
		case 0xF3:
			b->rep = true;
			continue;
		case 0x66:
			b->data16 = true;
			continue;
		case 0x67: /* address size and segments */
		case 0x26:
		case 0x2E:
		case 0x36:
		case 0x3E:
		case 0x64:
		case 0x65:
			continue;
		}
		if (b->is32 || (c & 0xF0) != 0x40)
			return;
		b->wide = c & 8;
		b->rex = c;
	}
}

/* Opcodes that mean something else, or nothing, in 64-bit mode. */
static bool only32(uint8_t op, struct insn *x)
{
	switch (op) {
	case 0x07:
	case 0x17:
	case 0x1F:
		*x = of_system("load of a segment register");
		return true;
	case 0x62:
		*x = unmodelled("bound");
		return true;
	case 0x63:
		*x = unmodelled("arpl");
		return true;
	case 0x9A:
	case 0xEA:
		*x = of_system("far call or jump");
		return true;
	case 0xC4:
	case 0xC5:
		*x = of_system("load of a segment register");
		return true;
	case 0xCE:
		*x = unmodelled("into");
		return true;
	}
	return false;
}

static struct insn loads_stack(void)
{
	struct insn x = plain();
	x.stack = true;
	x.name = "load of the stack pointer";
	return x;
}

int stack_source(const uint8_t *p, bool is32)
{
	int rex = 0;
	if (!is32 && (*p & 0xF0) == 0x40)
		rex = *p++;
	if (in_memory(p[1]) || (!is32 && !(rex & REX_W)))
		return -1;
	if (p[0] == 0x89)
		return digit(p[1]) | (rex & REX_R ? 8 : 0);
	if (p[0] == 0x8B)
		return (p[1] & 7) | (rex & REX_B ? 8 : 0);
	return -1;
}

bool pushes(const uint8_t *p, bool is32)
{
	struct bytes b = { .p = p, .n = LONGEST_INSN, .is32 = is32 };
	skip_prefixes(&b);
	uint8_t d = digit(peek(&b, 1));
	switch (peek(&b, 0)) {
	case 0x60: /* pusha */
	case 0x68:
	case 0x6A:
	case 0x9C: /* pushf */
	case 0xC8: /* enter */
	case 0xE8: /* call */
		return true;
	case 0x0F:
		return (peek(&b, 1) & 0xF7) == 0xA0; /* fs, gs */
	case 0xFF:
		return d == 2 || d == 3 || d == 6;
	}
	return (peek(&b, 0) & 0xF8) == 0x50 || (is32 && (peek(&b, 0) & 0xE7) == 0x06);
}

/* x87's functions that the engine computes wrongly. */
static bool computed(uint8_t modrm)
{
	switch (modrm) {
	case X87_F2XM1:
	case X87_FYL2X:
	case X87_FPATAN:
	case X87_FPREM1:
	case X87_FPREM:
	case X87_FYL2XP1:
		return true;
	}
	return false;
}

/* The one-byte opcodes, without a lock prefix's meaning. */
static struct insn map1(const struct bytes *b)
{
	uint8_t op = peek(b, 0);
	uint8_t modrm = peek(b, 1);
	struct insn x;
	bool vex = op == 0xC4 || op == 0xC5 || op == 0x62;
	if (vex && (!b->is32 || !in_memory(modrm)))
		return unmodelled(op == 0x62 ? "AVX-512" : "AVX or BMI (a VEX prefix)");
	if (b->is32 && only32(op, &x))
		return x;
	switch (op) {
	case 0x0F:
		return map0f(b);
	case 0x6C:
	case 0x6D:
	case 0x6E:
	case 0x6F:
	case 0xE4:
	case 0xE5:
	case 0xE6:
	case 0xE7:
	case 0xEC:
	case 0xED:
	case 0xEE:
	case 0xEF:
		return privileged("port input or output");
	case 0x5C:
		return b->rex & REX_B ? plain() : loads_stack();
	case 0x89:
		return !in_memory(modrm) && (modrm & 7) == STACK_POINTER && !(b->rex & REX_B) ? loads_stack() : plain();
	case 0x8B:
		return digit(modrm) == STACK_POINTER && !(b->rex & REX_R) ? loads_stack() : plain();
	case 0xAA:
	case 0xAB:
		x = plain();
		x.fill = b->rep && !b->data16 && !b->wide;
		x.name = "rep stos";
		return x;
	case 0x94:
		return b->rex & REX_B ? plain() : loads_stack();
	case 0x9D: {
		x = loads(CONTROL_FLAGS);
		x.flags = true;
		x.name = "popf";
		return x;
	}
	case 0x86:
	case 0x87: /* xchg with memory locks without being told */
		return in_memory(modrm) ? (struct insn){ .kind = KIND_LOCKED } : plain();
	case 0x8E:
		return of_system("load of a segment register");
	case 0x8F:
		return digit(modrm) == 0 ? plain() : unmodelled("XOP");
	case 0xA6:
	case 0xA7:
		return (struct insn){ .kind = KIND_STRINGS };
	case 0xC0:
	case 0xC1:
	case 0xD0:
	case 0xD1:
	case 0xD2:
	case 0xD3: /* rcl and rcr */
		return in_memory(modrm) && (digit(modrm) & 6) == 2 ? (struct insn){ .kind = KIND_CARRY } : plain();
	case 0xC6:
	case 0xC7:
		return modrm == 0xF8 ? unmodelled("transactional memory") : plain();
	case 0xCA:
	case 0xCB:
		return of_system("far return");
	case 0xCC:
	case 0xF1:
		x = whole(b, KIND_BREAKPOINT, 1);
		x.vector = op == 0xCC ? 3 : 1;
		return x;
	case 0xCD:
		x = whole(b, KIND_TRAP, 2);
		x.vector = modrm;
		return x;
	case 0xCF:
		return privileged("iret");
	case 0xD9: /* fldenv, fldcw */
		if (computed(modrm)) {
			x = whole(b, KIND_X87, 2);
			x.x87 = modrm;
			return x;
		}
		return in_memory(modrm) && (digit(modrm) & 6) == 4 ? loads(CONTROL_X87) : plain();
	case 0xDD: /* frstor */
		return in_memory(modrm) && digit(modrm) == 4 ? loads(CONTROL_X87) : plain();
	case 0xF4:
		return privileged("hlt");
	case 0xFA:
		return privileged("cli");
	case 0xFB:
		return privileged("sti");
	case 0xFF:
		return digit(modrm) == 3 || digit(modrm) == 5 ? of_system("far call or jump") : plain();
	}
	return plain();
}

struct insn classify(const uint8_t *p, uint32_t n, bool is32)
{
	struct bytes b = { .p = p, .n = n < LONGEST_INSN ? n : LONGEST_INSN, .is32 = is32 };
	skip_prefixes(&b);
	struct insn x = map1(&b);
	uint8_t opcode[4] = { peek(&b, 0), peek(&b, 1), peek(&b, 2), peek(&b, 3) };
	if (b.lock && !lockable(opcode))
		return illegal();
	if (x.kind == KIND_PLAIN && b.lock)
		x.kind = KIND_LOCKED;
	if (x.kind == KIND_PLAIN && needs_alignment(opcode, mandatory(&b)))
		x = (struct insn){ .kind = KIND_ALIGNED, .aligned = true };
	return x;
}
