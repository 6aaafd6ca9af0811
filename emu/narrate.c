/*
 * A debugger hears what runs did: each instruction that was completed, with its accesses,
 * whether others can observe them or not. A run without RUN_NARRATE pays nothing.
 */
#include <stdlib.h>

#include "machine.h"

void narrate(struct machine *m, uint64_t addr, uint32_t size, uint8_t what)
{
	if (m->ntold == m->told_cap) {
		uint64_t cap = m->told_cap * 2 + 4096;
		struct told *grown = realloc(m->told, cap * sizeof *grown);
		if (!grown)
			abort();
		m->told = grown;
		m->told_cap = cap;
	}
	m->told[m->ntold++] = (struct told){ .addr = addr, .insn = (uint32_t)m->insn, .size = (uint16_t)size, .what = what };
}

/* Forgets what a run has begun and not completed. The accesses stay that a half-executed
 * instruction has made: all but the one that it stands before. */
void narrate_end(struct machine *m, uint64_t first)
{
	uint64_t n = first;
	for (uint64_t i = first; i < m->ntold; i++) {
		const struct told *t = &m->told[i];
		bool half = t->insn == m->result.insns + 1 && m->result.parts && t->what != TOLD_INSN && i + 1 < m->ntold;
		if (t->insn <= m->result.insns || half)
			m->told[n++] = *t;
	}
	m->ntold = n;
}
