/*
 * A function finds old bytes where its variables will be on the stack. A machine may be given the
 * frames of functions: then each of them finds a fill in the bytes of its frame. They are below the stack
 * pointer at its first instruction, so what they had is unused from then on (the red zone is that
 * of a function that calls none).
 *
 * The fill is part of the instruction, like a store that isn't an access.
 */
#include <string.h>

#include "journal.h"

static const struct frame *find(const struct machine *m, uint64_t pc)
{
	uint32_t lo = 0;
	uint32_t hi = m->nfilled;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (pc < m->filled[mid].pc)
			hi = mid;
		else if (pc > m->filled[mid].pc)
			lo = mid + 1;
		else
			return &m->filled[mid];
	}
	return NULL;
}

bool has_frame(const struct machine *m, uint64_t pc)
{
	return m->nfilled && find(m, pc);
}

void fill_frame(struct machine *m, uint64_t pc)
{
	const struct frame *f = find(m, pc);
	uint64_t sp = cpu_encoded(m, STACK_POINTER) & ~UINT64_C(7);
	if (!f || sp > m->space)
		return;
	for (uint64_t n = 0; n < f->size && n < sp; n += sizeof m->fill) {
		uint64_t at = sp - n - sizeof m->fill;
		if (!(m->perm[at >> PAGE_SHIFT] & PERM_WRITE))
			return; /* the function itself will find that out */
		if (!memcmp(m->mem + at, m->fill, sizeof m->fill))
			continue;
		journal_memory(m, at, sizeof m->fill);
		memcpy(m->mem + at, m->fill, sizeof m->fill);
	}
}
