/*
 * A saved context of the engine's has 5 KiB. Two thirds are what no program in user mode changes:
 * registers of 512 bits, those of the model, what the last exception left. They lie behind all else.
 * The contexts of a machine whose guest is a program end before them, so that a step copies less, and
 * more contexts are in the processor's caches.
 *
 * The engine copies as many bytes as the context's first word says. That is tried before it is relied on.
 */
#include <string.h>

#include "machine.h"

enum { PART_ALIGN = 64, ODD_BYTE = 0x5A, ODD_DR = 0xDEB06A10 };

/* The number of bytes of a saved context, with the engine's header. */
size_t context_size(const struct machine *m)
{
	if (!m->uc)
		return sizeof m->plain; /* it is its general registers, as Go keeps them (script.go) */
	return m->part ? m->part : uc_context_size(m->uc);
}

/* Makes a context whose end is 0: some bytes there aren't the processor's, and stay as they are. */
uc_err part_alloc(struct machine *m, uc_context **c)
{
	uc_err err = uc_context_alloc(m->uc, c);
	if (!err)
		memset((char *)*c + uc_context_size(m->uc) - PART_ALIGN, 0, PART_ALIGN);
	return err;
}

/* Where the processor's state begins in a saved context; 0 if it can't be told. */
size_t context_header(const struct machine *m)
{
	return m->reg_at[0] < 0 ? 0 : (size_t)m->reg_at[0];
}

static void set_copied(uc_context *c, size_t n)
{
	memcpy(c, &n, sizeof n);
}

static size_t copied(const uc_context *c)
{
	size_t n = 0;
	memcpy(&n, c, sizeof n);
	return n;
}

/* How many bytes of the state the engine copies by itself; 0 if a context's first word doesn't say so. */
static size_t all_copied(const struct machine *m, const uc_context *c)
{
	size_t n = copied(c), most = uc_context_size(m->uc) - context_header(m);
	return n <= most && most - n < PART_ALIGN ? n : 0;
}

/* Whether the engine copies n bytes of the state where a context says so, and no more. The CPU is in
 * the fresh state, and afterwards again. */
static bool copies_part(struct machine *m, uc_context *c, size_t n)
{
	const size_t head = context_header(m), all = all_copied(m, c);
	char *state = (char *)c + head;
	uint64_t odd = ODD_DR, dr = 0, rax = 0;
	if (n > all)
		return false;
	memset(state, ODD_BYTE, all);
	set_copied(c, n);
	if (uc_context_save(m->uc, c) || memcmp(state, (const char *)m->fresh + head, n))
		return false;
	for (size_t i = n; i < all; i++)
		if (state[i] != ODD_BYTE)
			return false;
	memcpy(&rax, state, sizeof rax);
	rax++;
	memcpy(state, &rax, sizeof rax);
	uc_reg_write(m->uc, UC_X86_REG_DR0, &odd); /* which lies behind */
	uc_err err = uc_context_restore(m->uc, c);
	uc_reg_read(m->uc, UC_X86_REG_DR0, &dr);
	uint64_t got = cpu_read(m, REG_RAX);
	uc_context_restore(m->uc, m->fresh);
	return !err && dr == odd && got == rax;
}

/* Has contexts end behind x87 and SSE, which lie behind all that a program changes. A kernel changes
 * more. What an exception leaves has to be known. */
uc_err part_find(struct machine *m)
{
	const size_t head = context_header(m);
	size_t part = (m->fpu_end + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
	if (m->bare || !head || !m->fpu_end || m->exception_at < 0 || part > (size_t)m->exception_at)
		return UC_ERR_OK;
	uc_err err = part_alloc(m, &m->whole);
	if (err)
		return err;
	const size_t all = copied(m->whole);
	if (copies_part(m, m->whole, part - head))
		m->part = part;
	set_copied(m->whole, all);
	return UC_ERR_OK;
}

/* Puts the beginning of a context into its slot: what a fresh CPU has. */
void part_begin(const struct machine *m, uc_context *to)
{
	memcpy(to, m->uc ? (const void *)m->fresh : m->plain, context_size(m));
	if (m->part)
		set_copied(to, m->part - context_header(m));
}

/* Has the engine forget what an exception left, before a context is restored that doesn't have it. */
void part_clean(struct machine *m)
{
	if (m->part && m->excepted)
		uc_context_restore(m->uc, m->fresh);
	m->excepted = false;
}

/* All of a context that was saved just now: what it leaves out is in the CPU still. */
uc_context *part_whole(struct machine *m, int32_t slot)
{
	if (!m->part)
		return m->slots[slot].cpu;
	uc_context_save(m->uc, m->whole);
	return m->whole;
}
