#include <stdio.h>
#include <stdlib.h>

#include "journal.h"

void journal_grow(struct machine *m)
{
	uint64_t cap = m->journal_cap * 2;
	struct undo *grown = realloc(m->journal, cap * sizeof *grown);
	if (!grown) {
		/* In the middle of an instruction there is no way back. */
		fprintf(stderr, "out of memory: the journal has %llu entries\n", (unsigned long long)m->njournal);
		abort();
	}
	m->journal = grown;
	m->journal_cap = cap;
}

void journal_rollback(struct machine *m, uint64_t n)
{
	if (m->looked > n)
		m->looked = n;
	while (m->njournal > n) {
		const struct undo *u = &m->journal[--m->njournal];
		uint8_t *at = m->mem + (u->where & UNDO_PLACE_MASK);
		memcpy(at, &u->old, u->where >> UNDO_SIZE_SHIFT);
	}
}
