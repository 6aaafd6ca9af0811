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
static uint8_t peek(const struct bytes *b, uint32_t i)
{
	uint32_t at = b->at + i;
	return at < b->n ? b->p[at] : 0;
}

static bool in_memory(uint8_t modrm)
{
	return modrm >> 6 != 3;
}

static uint8_t digit(uint8_t modrm)
{
	return modrm >> 3 & 7;
}

static struct insn plain(void)
{
	return (struct insn){ .kind = KIND_PLAIN };
}

static struct insn unmodelled(const char *name)
{
	return (struct insn){ .kind = KIND_UNMODELLED, .name = name };
}

/* Instructions that kernels need and programs don't. */
static struct insn of_system(const char *name)
{
	struct insn x = unmodelled(name);
	x.system = true;
	return x;
}

static struct insn privileged(const char *name)
{
	return (struct insn){ .kind = KIND_PRIVILEGED, .name = name };
}

static struct insn illegal(void)
{
	return (struct insn){ .kind = KIND_ILLEGAL };
}

static struct insn whole(const struct bytes *b, enum kind kind, uint32_t opcode_len)
{
	return (struct insn){ .kind = kind, .len = (uint8_t)(b->at + opcode_len) };
}

static struct insn loads(enum control c)
{
	return (struct insn){ .kind = KIND_CONTROL, .control = c };
}

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

static enum mandatory mandatory(const struct bytes *b)
{
	if (b->rep || b->repne)
		return b->rep ? PREFIX_F3 : PREFIX_F2;
	return b->data16 ? PREFIX_66 : PREFIX_NONE;
}

/* 0F 01: descriptor tables, and whatever was put behind them. */
static struct insn group7(const struct bytes *b)
{
	uint8_t modrm = peek(b, 2);
	if (in_memory(modrm)) {
		switch (digit(modrm)) {
		case 0:
			return of_system("sgdt");
		case 1:
			return of_system("sidt");
		case 2:
			return privileged("lgdt");
		case 3:
			return privileged("lidt");
		case 4:
			return of_system("smsw");
		case 6:
			return privileged("lmsw");
		case 7:
			return privileged("invlpg");
		}
		return unmodelled("shadow stack");
	}
	switch (modrm) {
	case 0xD0:
		return unmodelled("xgetbv");
	case 0xD5:
		return unmodelled("xend");
	case 0xD6:
		return unmodelled("xtest");
	case 0xEE:
	case 0xEF:
		return unmodelled("protection keys");
	case 0xF9:
		return whole(b, KIND_RDTSCP, 3);
	case 0xF8:
		return privileged("swapgs");
	}
	return privileged("system instruction 0f 01");
}

/* 0F AE: saving state, fences, and the segment bases. */
static struct insn group15(const struct bytes *b)
{
	uint8_t modrm = peek(b, 2);
	uint8_t d = digit(modrm);
	if (in_memory(modrm)) {
		switch (d) {
		case 0: /* fxsave */
			return (struct insn){ .kind = KIND_CONTROL, .aligned = true };
		case 1: /* fxrstor */
			return (struct insn){ .kind = KIND_CONTROL, .aligned = true, .control = CONTROL_BOTH };
		case 2: /* ldmxcsr */
			return loads(CONTROL_MXCSR);
		case 4:
			return unmodelled(b->rep ? "shadow stack" : "xsave");
		case 5:
			return unmodelled("xrstor");
		case 6:
			return unmodelled(b->data16 ? "clwb" : "xsaveopt");
		}
		return plain(); /* stmxcsr, clflush */
	}
	if (b->rep)
		return unmodelled(d < 4 ? "fsgsbase" : "shadow stack");
	if (b->data16 || b->repne)
		return unmodelled("tpause or umwait");
	if (d == 6)
		return (struct insn){ .kind = KIND_FENCE }; /* mfence */
	return plain(); /* lfence, sfence */
}

/* 0F C7: cmpxchg8b and cmpxchg16b, random numbers, more state saving. */
static struct insn group9(const struct bytes *b)
{
	uint8_t modrm = peek(b, 2);
	uint8_t d = digit(modrm);
	if (in_memory(modrm)) {
		if (d != 1)
			return unmodelled(d < 6 ? "xsavec" : "vmx");
		struct insn x = { .kind = b->lock ? KIND_CAS_PAIR : KIND_PLAIN, .wide = b->wide };
		return x;
	}
	if (d == 6)
		return unmodelled("rdrand");
	if (d == 7)
		return unmodelled(b->rep ? "rdpid" : "rdseed");
	return illegal();
}

/* 0F 38: up to SSE4.2 both supported engines agree. */
static struct insn map38(const struct bytes *b)
{
	uint8_t op = peek(b, 2);
	if (op >= 0xF0) {
		if (op <= 0xF1 && b->repne)
			return plain(); /* crc32 */
		return unmodelled(op <= 0xF1 ? "movbe" : op == 0xF6 ? "adx" : "instruction 0f 38 f_");
	}
	if (op >= 0xDB)
		return unmodelled("aes");
	if (op >= 0xC8)
		return unmodelled("sha");
	if (op >= 0x80)
		return privileged("invept, invvpid or invpcid");
	return plain();
}

static struct insn map3a(const struct bytes *b)
{
	switch (peek(b, 2)) {
	case 0x44:
		return unmodelled("pclmulqdq");
	case 0xCC:
		return unmodelled("sha");
	case 0xCE:
	case 0xCF:
		return unmodelled("gfni");
	case 0xDF:
		return unmodelled("aes");
	}
	return plain();
}

/* The two-byte opcodes. */
static struct insn map0f(const struct bytes *b)
{
	uint8_t op = peek(b, 1);
	switch (op) {
	case 0x00:
		return digit(peek(b, 2)) == 2 || digit(peek(b, 2)) == 3 ? privileged("lldt or ltr") : of_system("segment query");
	case 0x01:
		return group7(b);
	case 0x02:
	case 0x03:
		return of_system("lar or lsl");
	case 0x05: {
		if (b->is32)
			return illegal();
		struct insn x = whole(b, KIND_TRAP, 2);
		x.syscall = true;
		return x;
	}
	case 0x06:
		return privileged("clts");
	case 0x07:
		return privileged("sysret");
	case 0x08:
	case 0x09:
		return privileged("invd or wbinvd");
	case 0x0B:
	case 0xB9:
	case 0xFF:
		return illegal();
	case 0x0E:
	case 0x0F:
		return unmodelled("3dnow");
	case 0x20:
	case 0x21:
	case 0x22:
	case 0x23:
		return privileged("move to or from a control register");
	case 0x30:
		return privileged("wrmsr");
	case 0x31:
		return whole(b, KIND_RDTSC, 2);
	case 0x32:
		return privileged("rdmsr");
	case 0x33:
		return privileged("rdpmc");
	case 0x34: {
		if (!b->is32)
			return unmodelled("sysenter");
		struct insn x = whole(b, KIND_TRAP, 2);
		x.sysenter = true;
		return x;
	}
	case 0x35:
		return privileged("sysexit");
	case 0x37:
		return unmodelled("getsec");
	case 0x38:
		return map38(b);
	case 0x3A:
		return map3a(b);
	case 0x78:
	case 0x79:
		return unmodelled("sse4a");
	case 0xA1:
	case 0xA9:
	case 0xB2:
	case 0xB4:
	case 0xB5:
		return of_system("load of a segment register");
	case 0xA2:
		return whole(b, KIND_CPUID, 2);
	case 0xAA:
		return privileged("rsm");
	case 0xAE:
		return group15(b);
	case 0xB0:
	case 0xB1:
		return b->lock ? (struct insn){ .kind = KIND_CAS } : plain();
	case 0xB8:
		return b->rep ? unmodelled("popcnt") : illegal();
	case 0xBD:
		/* tzcnt (F3 0F BC) stays: compilers emit it for bsf, with which it agrees wherever bsf is defined. */
		return b->rep ? unmodelled("lzcnt") : plain();
	case 0xC7:
		return group9(b);
	}
	return plain();
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
		if (modrm == 0xF5 || modrm == 0xF8) {
			x = whole(b, KIND_REMAINDER, 2);
			x.nearest = modrm == 0xF5;
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
