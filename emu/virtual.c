/*
 * The guest's processor: a baseline x86-64 with SSE3 and cmpxchg16b, for all
 * versions of the engine, and a clock that counts the thread's own
 * instructions. So nothing of the host reaches the guest, and threads' clocks
 * don't depend on each other.
 */
#include <string.h>

#include "machine.h"

enum {
	CYCLES_PER_INSN = 4, /* of virtual time */

	LEAF_MAX = 1,
	SIGNATURE = 0x663, /* family 6, model 6: no particular processor */
	BRAND_CLFLUSH = 8 << 8, /* 64-byte lines */

	/* Leaf 1. */
	ECX_SSE3 = 1 << 0,
	ECX_CX16 = 1 << 13,
	EDX_FPU = 1 << 0,
	EDX_TSC = 1 << 4,
	EDX_CX8 = 1 << 8,
	EDX_CMOV = 1 << 15,
	EDX_CLFSH = 1 << 19,
	EDX_MMX = 1 << 23,
	EDX_FXSR = 1 << 24,
	EDX_SSE = 1 << 25,
	EDX_SSE2 = 1 << 26,

	/* Leaf 0x80000001. */
	ECX_LAHF = 1 << 0,
	EDX_SYSCALL = 1 << 11,
	EDX_NX = 1 << 20,
	EDX_RDTSCP = 1 << 27,
	EDX_LONG = 1 << 29,

	ADDRESS_BITS = 48 << 8 | 40, /* virtual, physical */

	/* Caches: C libraries take copying thresholds from them. */
	L1_CACHE = 0x40020140, /* 64 KiB, 2-way, 64-byte lines */
	L2_CACHE = 0x02008140, /* 512 KiB, 16-way, 64-byte lines */
};

static const uint32_t leaf_extended = 0x80000000;

/* The instruction's length was told by classify: going on behind it skips it. */
static void skip(struct machine *m, uint32_t len)
{
	uint64_t next = m->pc + len;
	uc_reg_write(m->uc, m->is32 ? UC_X86_REG_EIP : UC_X86_REG_RIP, &next);
}

static void answer(struct machine *m, uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	uint64_t regs[NREGS] = { [REG_RAX] = eax, [REG_RBX] = ebx, [REG_RCX] = ecx, [REG_RDX] = edx };
	cpu_write(m, 1 << REG_RAX | 1 << REG_RBX | 1 << REG_RCX | 1 << REG_RDX, regs);
}

static bool x87(struct machine *m, uint8_t function)
{
	switch (function) {
	case X87_F2XM1:
		return x87_exp2m1(m);
	case X87_FYL2X:
		return x87_log2(m);
	case X87_FPATAN:
		return x87_arctangent(m);
	case X87_FYL2XP1:
		return x87_log2p1(m);
	default:
		return x87_remainder(m, function == X87_FPREM1);
	}
}

void virtual_x87(struct machine *m, uint32_t len, uint8_t function)
{
	if (x87(m, function))
		skip(m, len);
}

void virtual_cpuid(struct machine *m, uint32_t len)
{
	static const char vendor[] = "AuthenticAMD"; /* its cache leaves are the simplest */
	uint64_t leaf = 0;
	uint32_t v[3];
	uc_reg_read(m->uc, m->is32 ? UC_X86_REG_EAX : UC_X86_REG_RAX, &leaf);
	memcpy(v, vendor, sizeof v);
	switch ((uint32_t)leaf) {
	case 0:
		answer(m, LEAF_MAX, v[0], v[2], v[1]);
		break;
	case 1:
		answer(m, SIGNATURE, BRAND_CLFLUSH, ECX_SSE3 | (m->is32 ? 0 : ECX_CX16),
		       EDX_FPU | EDX_TSC | EDX_CX8 | EDX_CMOV | EDX_CLFSH | EDX_MMX | EDX_FXSR | EDX_SSE | EDX_SSE2);
		break;
	case 0x80000000:
		answer(m, leaf_extended + 8, v[0], v[2], v[1]);
		break;
	case 0x80000001:
		answer(m, SIGNATURE, 0, m->is32 ? 0 : ECX_LAHF, m->is32 ? 0 : EDX_SYSCALL | EDX_NX | EDX_RDTSCP | EDX_LONG);
		break;
	case 0x80000005:
		answer(m, 0, 0, L1_CACHE, L1_CACHE);
		break;
	case 0x80000006:
		answer(m, 0, 0, L2_CACHE, 0);
		break;
	case 0x80000008:
		answer(m, ADDRESS_BITS, 0, 0, 0);
		break;
	default:
		answer(m, 0, 0, 0, 0);
		break;
	}
	skip(m, len);
}

/* rdtsc, and rdtscp which also names the processor: number 0. */
void virtual_time(struct machine *m, uint32_t len, bool with_cpu)
{
	m->clock_reads++;
	uint64_t now = (m->clock + m->insn) * CYCLES_PER_INSN;
	uint64_t regs[NREGS] = { [REG_RAX] = now & UINT32_MAX, [REG_RDX] = now >> 32 };
	cpu_write(m, 1 << REG_RAX | 1 << REG_RDX | (with_cpu ? 1 << REG_RCX : 0), regs);
	skip(m, len);
}
