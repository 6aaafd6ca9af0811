#include "opcode.h"

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
	case 0xE8: case 0xE9: case 0xEA: case 0xEB: case 0xEC: case 0xED: /* programs may have these */
		return unmodelled("serialize and its kin");
	case 0xFA: case 0xFB: case 0xFC: case 0xFD:
		return unmodelled("monitorx, mwaitx, clzero or rdpru");
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
		case 7:
			if (b->data16)
				return unmodelled("clflushopt");
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

/* 0F B0 and B1. */
static struct insn compare_exchange(const struct bytes *b)
{
	uint8_t modrm = peek(b, 2);
	struct insn x = { .kind = b->lock ? KIND_CAS : KIND_PLAIN, .target = -1 };
	x.half = peek(b, 1) == 0xB1 && !b->is32 && !b->wide && !b->data16;
	if (!in_memory(modrm))
		x.target = (int8_t)((modrm & 7) | (b->rex & REX_B ? 8 : 0));
	if (x.half && !b->lock)
		x.kind = KIND_COMPARE;
	return x;
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
		if (op <= 0xF1 && !b->rep) /* movbe, which processors have that have lzcnt */
			return in_memory(peek(b, 3)) ? plain() : illegal();
		return unmodelled(op == 0xF6 ? "adx" : "instruction 0f 38 f_");
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

struct insn map0f(const struct bytes *b)
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
	case 0xA4:
	case 0xAC:
		/* shld and shrd by a constant. The engine counts an address from rip on without the
		 * constant's byte, and would change the bytes before the operand's. */
		if (!b->is32 && (peek(b, 2) & 0xC7) == 5)
			return unmodelled("shld or shrd by a constant in memory at an address relative to rip");
		return plain();
	case 0xAA:
		return privileged("rsm");
	case 0xAE:
		return group15(b);
	case 0xB0:
	case 0xB1:
		return compare_exchange(b);
	case 0xB8:
		/* popcnt. Every processor since 2013 has it, and tzcnt and lzcnt (F3 0F BC and BD),
		 * whatever cpuid says. */
		return b->rep ? plain() : illegal();
	case 0xC7:
		return group9(b);
	}
	return plain();
}
