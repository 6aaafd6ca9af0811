/*
 * User programs of a kernel: code that the kernel puts into memory while it runs,
 * at addresses below its own that mean something else in each process.
 *
 * An instruction's class byte belongs to the memory that it is in, and so do
 * the engine's translations. Both are forgotten when that memory is stored to
 * by the kernel, or goes back to its earlier contents. The engine may then have
 * stale translations, which are dropped before the next run. No user code is
 * executed in a run in which the kernel stores: between the two the processor
 * stops.
 *
 * A program that stores into its own instructions isn't modelled; its data may be
 * in the same page.
 */
#include <stdlib.h>
#include <string.h>

#include "classify.h"
#include "machine.h"

enum {
	LONGEST_INSN = 15,
	PAGE_MASK = (1 << PAGE_SHIFT) - 1,
	LARGE_MASK = (1 << 22) - 1,
};

static const uint64_t no_page = 1; /* the address of no page */

const char *programs_open(struct machine *m)
{
	m->programs = calloc((m->space >> PAGE_SHIFT) + 1, 1);
	m->stale_cap = m->space >> PAGE_SHIFT;
	m->stale = malloc(m->stale_cap * sizeof *m->stale);
	m->program_page = no_page;
	if (!m->programs || !m->stale)
		return "out of memory";
	/* User programs may begin at 0, so no address ends a run. Nor may another one do
	 * so: behind each run the engine forgets its translation of the byte before that
	 * address. Where nothing is mapped there, it remembers a page fault, and makes the
	 * guest's next one a double fault. */
	uc_err err = uc_ctl_exits_enable(m->uc);
	return err ? uc_strerror(err) : NULL;
}

static uint64_t entry(const struct machine *m, uint64_t at)
{
	uint32_t e = 0;
	if (at + sizeof e <= m->space)
		memcpy(&e, m->mem + at, sizeof e);
	return e;
}

/* Where the page tables in use (of two levels) put a page; the end of memory if they
 * don't. */
static uint64_t walk(const struct machine *m, uint64_t page)
{
	uint64_t cr0 = 0;
	uint64_t cr3 = 0;
	uc_reg_read(m->uc, UC_X86_REG_CR0, &cr0);
	uc_reg_read(m->uc, UC_X86_REG_CR3, &cr3);
	if (!(cr0 & CR0_PAGING))
		return page;
	uint64_t e = entry(m, (cr3 & ~(uint64_t)PAGE_MASK) + (page >> 22 & 1023) * 4);
	if (e & ENTRY_PRESENT && e & ENTRY_LARGE)
		return (e & ~(uint64_t)LARGE_MASK) | (page & LARGE_MASK);
	if (e & ENTRY_PRESENT)
		e = entry(m, (e & ~(uint64_t)PAGE_MASK) + (page >> PAGE_SHIFT & 1023) * 4);
	return e & ENTRY_PRESENT ? e & ~(uint64_t)PAGE_MASK : m->space;
}

/* Where an instruction below the kernel's own is in memory. */
uint64_t program_at(const struct machine *m, uint64_t pc)
{
	struct machine *cache = (struct machine *)m;
	uint64_t page = pc & ~(uint64_t)PAGE_MASK;
	if (m->program_page != page) {
		cache->program_at = walk(m, page);
		cache->program_page = page;
	}
	return m->program_at + (pc & PAGE_MASK);
}

/* Whether the memory behind a page is another at an address of programs than in
 * memory. Of an access across two pages the engine tells where its first byte is only. */
bool program_parted(const struct machine *m, uint64_t page)
{
	const uint64_t size = 1 << PAGE_SHIFT;
	const uint64_t large = LARGE_MASK + 1;
	uint64_t cr3 = 0;
	if (walk(m, 0) == 0 && walk(m, size) == size && walk(m, page) == page)
		return walk(m, page + size) != page + size; /* paging is off, or still as without */
	uc_reg_read(m->uc, UC_X86_REG_CR3, &cr3);
	for (uint64_t at = 0; at < m->code_bias; at += large) {
		if (!(entry(m, (cr3 & ~(uint64_t)PAGE_MASK) + (at >> 22) * 4) & ENTRY_PRESENT))
			continue;
		for (uint64_t v = at; v < at + large; v += size)
			if (walk(m, v) == page && walk(m, v + size) != page + size)
				return true;
	}
	return false;
}

/* The instruction there, taken apart: its bytes may be in two pages. */
struct insn program_insn(const struct machine *m, uint64_t pc)
{
	uint8_t bytes[LONGEST_INSN] = { 0 };
	uint32_t n = 0;
	for (; n < sizeof bytes; n++) {
		uint64_t offset = (pc + n) & PAGE_MASK;
		uint64_t at = walk(m, pc + n - offset) + offset;
		if (at >= m->space)
			break;
		bytes[n] = m->mem[at];
	}
	return classify(bytes, n, m->is32);
}

/* Whether a run stops at an instruction, in whichever program. */
bool program_marked(const struct machine *m, uint64_t pc)
{
	for (uint32_t i = 0; i < m->nmarked && m->marked[i] <= pc; i++)
		if (m->marked[i] == pc)
			return true;
	return false;
}

/* A page of user code has changed. */
void program_stale(struct machine *m, uint64_t page)
{
	if (!m->programs[page])
		return;
	m->programs[page] = 0;
	memset(m->code + (page << PAGE_SHIFT) - m->code_lo, 0, 1 << PAGE_SHIFT);
	m->stale[m->nstale++] = page; /* a page is in it once, because it has to be executed again first */
}

/* Whether bytes are of an instruction that was executed. */
static bool of_insn(const struct machine *m, uint64_t addr, uint32_t size)
{
	uint64_t page = addr & ~(uint64_t)PAGE_MASK;
	uint64_t from = addr - page < LONGEST_INSN ? page : addr - LONGEST_INSN + 1;
	for (uint64_t a = from; a < addr + size; a++)
		if (m->code[a - m->code_lo] & CODE_KNOWN)
			return true;
	return false;
}

/* A store to a page in which user code was executed. */
void program_stored(struct machine *m, uint64_t addr, uint32_t size)
{
	if (m->pc >= m->code_bias) {
		program_stale(m, addr >> PAGE_SHIFT);
		return;
	}
	if (of_insn(m, addr, size)) {
		stop_in_access(m);
		stop_unmodelled(m, "a store of a user program into its own code");
	}
}

/* Has the engine forget translations of changed code. It finds them by virtual
 * addresses, which are physical ones for as long as paging is off.
 *
 * Preconditions: no context is live, or is needed. */
void programs_forget(struct machine *m)
{
	uint64_t cr0 = 0;
	if (!m->nstale)
		return;
	uc_reg_read(m->uc, UC_X86_REG_CR0, &cr0);
	cr0 &= ~CR0_PAGING;
	uc_reg_write(m->uc, UC_X86_REG_CR0, &cr0);
	while (m->nstale) {
		uint64_t at = m->stale[--m->nstale] << PAGE_SHIFT;
		uc_ctl_remove_cache(m->uc, at, at + (1 << PAGE_SHIFT));
	}
	board_flush(m);
}
