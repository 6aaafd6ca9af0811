/*
 * CPU contexts. A slot holds Unicorn's own saved context, and the machine's
 * additions. The context keeps lazy flags, x87 and SSE state as they are, and
 * costs less than reading registers one by one.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "classify.h"
#include "machine.h"

enum {
	RESET_FPCW = 0x37f,   /* what a kernel gives a new process */
	RESET_MXCSR = 0x1f80,
	RESET_FPTAG = 0xffff,
	LINUX_USER_CS = 0x33,
	LINUX_USER_SS = 0x2b,
	CR4_SSE = 1 << 9 | 1 << 10, /* OSFXSR, OSXMMEXCPT */
	CONTEXT_ALIGN = 4, /* of the processor's state in a saved context */
	SLOT_BATCH = 32,   /* a context takes 2 or 6 KiB */
	FEW_SLOTS = 256,   /* up to which slots come in small batches */
	BATCH_ALIGN = 64,
	LARGE_BATCH = 2 << 20,
	XMM_REGS = 16,
	X87_REGS = 8,
	ERROR_CODE = 16,    /* how far before the debug registers it is, */
	UNDER_WAY = ERROR_CODE + 8 * 8 + 4 * 8, /* and the exception under way is behind it */
};

static const int regs64[NREGS] = {
	UC_X86_REG_RAX, UC_X86_REG_RBX, UC_X86_REG_RCX, UC_X86_REG_RDX, UC_X86_REG_RSI,
	UC_X86_REG_RDI, UC_X86_REG_RBP, UC_X86_REG_RSP, UC_X86_REG_R8, UC_X86_REG_R9,
	UC_X86_REG_R10, UC_X86_REG_R11, UC_X86_REG_R12, UC_X86_REG_R13, UC_X86_REG_R14,
	UC_X86_REG_R15, UC_X86_REG_RIP, UC_X86_REG_EFLAGS, UC_X86_REG_FS_BASE, UC_X86_REG_GS_BASE,
};

/* In 32-bit mode there are no more than these; segment bases need a
 * descriptor table, which the machine doesn't have. */
static const int regs32[NREGS] = {
	UC_X86_REG_EAX, UC_X86_REG_EBX, UC_X86_REG_ECX, UC_X86_REG_EDX, UC_X86_REG_ESI,
	UC_X86_REG_EDI, UC_X86_REG_EBP, UC_X86_REG_ESP,
	[REG_RIP] = UC_X86_REG_EIP, [REG_RFLAGS] = UC_X86_REG_EFLAGS,
};

void context_plain(struct machine *m)
{
	for (int i = 0; i < NREGS; i++)
		m->reg_at[i] = i == REG_RIP ? -1 : (int32_t)(i * (int)sizeof *m->plain);
}

static const int *reg_ids(const struct machine *m)
{
	return m->is32 ? regs32 : regs64;
}

/* Where in a saved context a value lies; -1 if there isn't exactly one such
 * place. */
static int32_t find(const uc_context *c, size_t size, uint64_t value)
{
	int32_t found = -1;
	for (size_t at = 0; at + sizeof value <= size; at += CONTEXT_ALIGN) {
		if (memcmp((const char *)c + at, &value, sizeof value))
			continue;
		if (found >= 0)
			return -1;
		found = (int32_t)at;
	}
	return found;
}

/*
 * Learns where registers lie in a saved context, by saving one in which each has
 * a value of its own: reading them there costs a tenth of asking the engine. A
 * register that isn't found is asked for. Flags always are: the engine computes
 * them when asked.
 */
static uc_err find_registers(struct machine *m)
{
	const uint64_t odd = m->is32 ? 0xC0DE5A00 : UINT64_C(0x00005AC3C0DE5A00);
	uint64_t values[NREGS];
	uc_context *c;
	uc_err err = uc_context_alloc(m->uc, &c);
	if (err)
		return err;
	for (int i = 0; i < NREGS; i++)
		values[i] = odd + (uint64_t)i;
	cpu_write(m, ((1u << NREGS) - 1) & ~(1u << REG_RFLAGS), values);
	err = uc_context_save(m->uc, c);
	for (int i = 0; i < NREGS && !err; i++) {
		bool asked = i == REG_RIP || i == REG_RFLAGS || !reg_ids(m)[i];
		m->reg_at[i] = asked ? -1 : find(c, uc_context_size(m->uc), values[i]);
	}
	uc_context_free(c);
	return err;
}

/* Learns in the same way where a saved context has an exception's error code: two
 * words before debug registers, which can be written. */
static uc_err find_exception(struct machine *m)
{
	enum { N = 4 };
	const uint64_t odd = 0xDEB06A00; /* other than those of find_registers, which are still there */
	uint64_t values[N];
	uc_context *c;
	uc_err err = uc_context_alloc(m->uc, &c);
	if (err)
		return err;
	for (int i = 0; i < N; i++) {
		values[i] = odd + (uint64_t)i;
		uc_reg_write(m->uc, UC_X86_REG_DR0 + i, &values[i]);
	}
	err = uc_context_save(m->uc, c);
	int32_t first = find(c, uc_context_size(m->uc), values[0]);
	m->exception_at = -1;
	if (!err && first >= ERROR_CODE && !memcmp((const char *)c + first, values, sizeof values))
		m->exception_at = first - ERROR_CODE;
	uc_context_free(c);
	return err;
}

/*
 * Learns where all of x87 and SSE lies in a saved context, by changing all registers of theirs. If two
 * contexts are the same there, no such register has to be asked for: there are some fifty.
 */
static uc_err find_fpu(struct machine *m)
{
	const uint64_t values[2] = { UINT64_C(0x5AC3C0DE5AC3C0DE), UINT64_C(0xC35AC0DEC35AC0DE) };
	const uint16_t fpsw = 0x3800, fptag = 0; /* another top of the stack; all are valid */
	const uint16_t fpcw = RESET_FPCW ^ 0xc3f;
	const uint32_t mxcsr = RESET_MXCSR ^ 0xffc0;
	uc_context *c;
	uc_err err = part_alloc(m, &c);
	if (err)
		return err;
	uc_context_restore(m->uc, m->fresh);
	for (int i = 0; i < (m->is32 ? XMM_REGS / 2 : XMM_REGS); i++)
		uc_reg_write(m->uc, UC_X86_REG_XMM0 + i, values);
	for (int i = 0; i < X87_REGS; i++)
		uc_reg_write(m->uc, UC_X86_REG_FP0 + i, values);
	uc_reg_write(m->uc, UC_X86_REG_FPSW, &fpsw);
	uc_reg_write(m->uc, UC_X86_REG_FPCW, &fpcw);
	uc_reg_write(m->uc, UC_X86_REG_FPTAG, &fptag);
	uc_reg_write(m->uc, UC_X86_REG_MXCSR, &mxcsr);
	err = uc_context_save(m->uc, c);
	uc_context_restore(m->uc, m->fresh); /* a kernel's first state is taken from the engine's CPU */
	const char *x = (const char *)m->fresh, *y = (const char *)c;
	m->fpu_at = 0;
	m->fpu_end = err ? 0 : uc_context_size(m->uc);
	while (m->fpu_end > 0 && x[m->fpu_end - 1] == y[m->fpu_end - 1])
		m->fpu_end--;
	while (m->fpu_at < m->fpu_end && x[m->fpu_at] == y[m->fpu_at])
		m->fpu_at++;
	uc_context_free(c);
	return err;
}

/* The error code of the exception before which a context was saved. The engine takes
 * it for one under way, and would make a double fault of the next: it forgets it. */
void context_exception(struct machine *m, int32_t slot)
{
	const int32_t none = -1;
	if (!m->uc)
		return; /* those of a script have no error code */
	if (m->exception_at < 0) {
		m->result.raised = false;
		return;
	}
	char *c = (char *)part_whole(m, slot) + m->exception_at;
	if (m->result.vector != VECTOR_ILLEGAL && m->result.vector != VECTOR_BREAKPOINT)
		memcpy(&m->result.error_code, c, sizeof m->result.error_code);
	memcpy(c + UNDER_WAY, &none, sizeof none);
	m->live = -1;
}

/* Gives the engine's CPU the state of a new process, and keeps it. */
const char *context_init(struct machine *m)
{
	uint16_t fpcw = RESET_FPCW;
	uint16_t fptag = RESET_FPTAG;
	uint32_t mxcsr = RESET_MXCSR;
	uc_reg_write(m->uc, UC_X86_REG_FPCW, &fpcw);
	uc_reg_write(m->uc, UC_X86_REG_FPTAG, &fptag);
	uc_reg_write(m->uc, UC_X86_REG_MXCSR, &mxcsr);
	if (!m->bare) { /* fxsave and fxrstor have SSE's registers too */
		uint64_t cr4 = 0;
		uc_reg_read(m->uc, UC_X86_REG_CR4, &cr4);
		cr4 |= CR4_SSE;
		uc_reg_write(m->uc, UC_X86_REG_CR4, &cr4);
	}
	if (!m->bare && !m->is32) { /* the selectors that Linux gives each program */
		uint16_t code = LINUX_USER_CS;
		uint16_t stack = LINUX_USER_SS;
		uc_reg_write(m->uc, UC_X86_REG_CS, &code);
		uc_reg_write(m->uc, UC_X86_REG_SS, &stack);
	}
	uc_err err = part_alloc(m, &m->fresh);
	if (!err)
		err = uc_context_save(m->uc, m->fresh);
	if (!err)
		err = find_registers(m);
	if (!err)
		err = find_exception(m);
	if (!err)
		err = find_fpu(m);
	if (!err)
		err = part_find(m);
	return err ? uc_strerror(err) : NULL;
}

/* Saved contexts lie one behind the other, because a long execution has hundreds of thousands. In
 * large pages, where the kernel has them, their first use takes a tenth of the time. */
struct batch {
	struct batch *next;
	_Alignas(BATCH_ALIGN) char contexts[];
};

/* Where the contexts of n more slots go, each with the header of a saved one. */
static struct batch *new_batch(struct machine *m, int32_t n, size_t size)
{
	size_t bytes = sizeof(struct batch) + (size_t)n * size;
	struct batch *b = n == SLOT_BATCH ? aligned_alloc(BATCH_ALIGN, bytes) : aligned_alloc(LARGE_BATCH, LARGE_BATCH);
	if (!b)
		return NULL;
	if (n != SLOT_BATCH)
		madvise(b, LARGE_BATCH, MADV_HUGEPAGE);
	for (int32_t i = 0; i < n; i++)
		part_begin(m, (uc_context *)(b->contexts + (size_t)i * size));
	b->next = m->batches;
	m->batches = b;
	return b;
}

/* Makes at least one more slot. */
const char *slots_grow(struct machine *m)
{
	size_t size = (context_size(m) + BATCH_ALIGN - 1) / BATCH_ALIGN * BATCH_ALIGN;
	int32_t n = m->slot_cap < FEW_SLOTS ? SLOT_BATCH : (int32_t)((LARGE_BATCH - sizeof(struct batch)) / size);
	int32_t cap = m->slot_cap + n;
	if (cap > m->slot_room) {
		int32_t room = m->slot_room * 2 + n;
		struct slot *grown = realloc(m->slots, (size_t)room * sizeof *grown);
		if (!grown)
			return "out of memory";
		m->slots = grown;
		m->slot_room = room;
	}
	struct batch *b = new_batch(m, n, size);
	if (!b)
		return "out of memory";
	memset(&m->slots[m->slot_cap], 0, (size_t)n * sizeof *m->slots);
	for (int32_t i = 0; i < n; i++)
		m->slots[m->slot_cap++].cpu = (uc_context *)(b->contexts + (size_t)i * size);
	return NULL;
}

void slots_free(struct machine *m)
{
	while (m->batches) {
		struct batch *b = m->batches;
		m->batches = b->next;
		free(b);
	}
	free(m->slots);
}

/* Gives the slots each other's numbers. */
void slots_swap(struct machine *m, int32_t a, int32_t b)
{
	struct slot s = m->slots[a];
	m->slots[a] = m->slots[b];
	m->slots[b] = s;
	if (m->live == a)
		m->live = b;
	else if (m->live == b)
		m->live = a;
}

/* Writes registers into the engine's CPU. RIP isn't among them: the engine is
 * told it at each start. */
void cpu_write(struct machine *m, uint32_t set, const uint64_t *regs)
{
	const int *ids = reg_ids(m);
	set &= ~(1u << REG_RIP);
	while (set) {
		int i = __builtin_ctz(set);
		set &= set - 1;
		if (!m->uc)
			m->plain[i] = regs[i];
		else if (i < NREGS && ids[i])
			uc_reg_write(m->uc, ids[i], &regs[i]);
	}
}

/* A general register of the CPU in the middle of a run. */
uint64_t cpu_read(const struct machine *m, int i)
{
	uint64_t v = 0;
	if (!m->uc)
		return m->plain[i];
	uc_reg_read(m->uc, reg_ids(m)[i], &v);
	return v;
}

/* A register by the number that instructions give it. */
static int encoded(int number)
{
	static const int order[] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI };
	return number < 8 ? order[number] : REG_R8 + number - 8;
}

uint64_t cpu_encoded(const struct machine *m, int number)
{
	return cpu_read(m, encoded(number));
}

void cpu_write_encoded(struct machine *m, int number, uint64_t v)
{
	uint64_t regs[NREGS];
	regs[encoded(number)] = v;
	cpu_write(m, 1u << encoded(number), regs);
}

static void context_keep(struct machine *m, uc_context *to)
{
	if (m->uc)
		uc_context_save(m->uc, to);
	else
		memcpy(to, m->plain, sizeof m->plain);
}

/* The number of what is saved of a CPU that has run nothing, with these registers: an execution makes the
 * same threads as the one before. */
static uint64_t started(struct machine *m, const uint64_t *regs)
{
	struct started *s = &m->started[(regs[REG_RIP] ^ regs[REG_RSP] >> 4 ^ regs[REG_RDI] >> 3) % MAX_STARTED];
	if (!s->saved || memcmp(s->regs, regs, sizeof s->regs)) {
		memcpy(s->regs, regs, sizeof s->regs);
		s->saved = ++m->saves;
	}
	return s->saved;
}

/* Makes slot a CPU that has run nothing, with these registers. */
void context_start(struct machine *m, int32_t slot, const uint64_t *regs)
{
	struct slot *s = &m->slots[slot];
	if (m->uc)
		uc_context_restore(m->uc, m->fresh);
	cpu_write(m, (1u << NREGS) - 1, regs);
	context_keep(m, s->cpu);
	m->live = slot;
	s->saved = started(m, regs);
	if (m->bare && m->uc)
		uc_reg_read(m->uc, UC_X86_REG_CR3, &s->cr3);
	m->cr3 = s->cr3;
	s->pc = regs[REG_RIP];
	s->clock = 0;
	s->poised.size = 0;
	s->cas = false;
	s->parts = s->done = 0;
	s->nheld = 0;
}

void context_inherit(struct machine *m, int32_t slot, int32_t parent)
{
	uint16_t fpcw = 0;
	uint32_t mxcsr = 0;
	uc_context *from = m->slots[parent].cpu;
	uc_context *to = m->slots[slot].cpu;
	if (!m->uc)
		return;
	uc_context_reg_read(from, UC_X86_REG_FPCW, &fpcw);
	uc_context_reg_read(from, UC_X86_REG_MXCSR, &mxcsr);
	if (fpcw == RESET_FPCW && mxcsr == RESET_MXCSR)
		return;
	uc_context_reg_write(to, UC_X86_REG_FPCW, &fpcw);
	uc_context_reg_write(to, UC_X86_REG_MXCSR, &mxcsr);
	m->slots[slot].saved = ++m->saves;
	m->live = -1;
}

void context_load(struct machine *m, int32_t slot)
{
	if (!m->uc) {
		memcpy(m->plain, m->slots[slot].cpu, sizeof m->plain);
		return;
	}
	if (unlikely(m->excepted))
		part_clean(m);
	uc_context_restore(m->uc, m->slots[slot].cpu);
	m->live = slot;
	if (m->bare)
		board_loaded(m, &m->slots[slot]);
}

void context_save(struct machine *m, int32_t slot)
{
	context_keep(m, m->slots[slot].cpu);
	m->live = slot;
	m->slots[slot].saved = ++m->saves;
	if (m->bare && m->uc) {
		uc_reg_read(m->uc, UC_X86_REG_CR3, &m->slots[slot].cr3);
		m->cr3 = m->slots[slot].cr3;
	}
}

/* Reads a saved CPU's registers. */
void context_regs(struct machine *m, int32_t slot, uint64_t *regs)
{
	const struct slot *s = &m->slots[slot];
	memset(regs, 0, NREGS * sizeof *regs);
	for (int i = 0; i < NREGS; i++) {
		if (m->reg_at[i] >= 0)
			memcpy(&regs[i], (const char *)s->cpu + m->reg_at[i], sizeof regs[i]);
		else if (i != REG_RIP && reg_ids(m)[i])
			uc_context_reg_read(s->cpu, reg_ids(m)[i], &regs[i]);
	}
	regs[REG_RIP] = s->pc;
}

static bool same(uc_context *a, uc_context *b, int reg)
{
	uint8_t x[16] = { 0 };
	uint8_t y[16] = { 0 };
	uc_context_reg_read(a, reg, x);
	uc_context_reg_read(b, reg, y);
	return !memcmp(x, y, sizeof x);
}

/* Says whether x87 and SSE are the same for sure. */
static bool same_fpu(const struct machine *m, const uc_context *a, const uc_context *b)
{
	const size_t n = m->fpu_end - m->fpu_at;
	return n && !memcmp((const char *)a + m->fpu_at, (const char *)b + m->fpu_at, n);
}

/* Says which registers of two saved CPUs differ: bit i for the i-th general
 * one, DIFF_SSE, DIFF_X87. */
uint32_t context_diff(struct machine *m, int32_t a, int32_t b)
{
	uint64_t x[NREGS];
	uint64_t y[NREGS];
	uint32_t diff = 0;
	uc_context *p = m->slots[a].cpu;
	uc_context *q = m->slots[b].cpu;
	context_regs(m, a, x);
	context_regs(m, b, y);
	for (int i = 0; i < NREGS; i++)
		diff |= (uint32_t)(x[i] != y[i]) << i;
	if (!m->uc || same_fpu(m, p, q))
		return diff;
	for (int i = 0; i < (m->is32 ? XMM_REGS / 2 : XMM_REGS); i++)
		if (!same(p, q, UC_X86_REG_XMM0 + i))
			diff |= DIFF_SSE;
	if (!same(p, q, UC_X86_REG_MXCSR))
		diff |= DIFF_SSE;
	for (int i = 0; i < X87_REGS; i++)
		if (!same(p, q, UC_X86_REG_FP0 + i))
			diff |= DIFF_X87;
	if (!same(p, q, UC_X86_REG_FPSW) || !same(p, q, UC_X86_REG_FPCW) || !same(p, q, UC_X86_REG_FPTAG))
		diff |= DIFF_X87;
	return diff;
}

/* All that context_diff compares, as CONTEXT_WORDS words: general registers,
 * xmm, x87, and the four control words. */
void context_words(struct machine *m, int32_t slot, uint64_t *words)
{
	static const int control[] = { UC_X86_REG_MXCSR, UC_X86_REG_FPSW, UC_X86_REG_FPCW, UC_X86_REG_FPTAG };
	uc_context *c = m->slots[slot].cpu;
	memset(words, 0, CONTEXT_WORDS * sizeof *words);
	context_regs(m, slot, words);
	if (!m->uc)
		return;
	words += NREGS;
	for (int i = 0; i < (m->is32 ? XMM_REGS / 2 : XMM_REGS); i++)
		uc_context_reg_read(c, UC_X86_REG_XMM0 + i, words + 2 * i);
	words += 2 * XMM_REGS;
	for (int i = 0; i < X87_REGS; i++)
		uc_context_reg_read(c, UC_X86_REG_FP0 + i, words + 2 * i);
	words += 2 * X87_REGS;
	for (size_t i = 0; i < sizeof control / sizeof *control; i++)
		uc_context_reg_read(c, control[i], words + i);
}
