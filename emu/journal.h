/*
 * The undo journal: for each change of guest memory or of page permissions, the
 * old value. Go appends to it as well (mark.go), in the same format.
 */
#ifndef LANDGO_JOURNAL_H
#define LANDGO_JOURNAL_H

#include <string.h>

#include "machine.h"

/* Makes room for one more entry at least. */
void journal_grow(struct machine *m);

/* Undoes memory entries down to length n. Permissions don't change in a run. */
void journal_rollback(struct machine *m, uint64_t n);

/* Remembers size <= 8 bytes at addr. */
static inline void journal_memory(struct machine *m, uint64_t addr, uint32_t size)
{
	if (unlikely(m->njournal >= m->journal_cap))
		journal_grow(m);
	struct undo *u = &m->journal[m->njournal++];
	u->where = addr | (uint64_t)size << UNDO_SIZE_SHIFT;
	memcpy(&u->old, m->mem + addr, sizeof u->old);
}

#endif
