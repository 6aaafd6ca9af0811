/*
 * What a run depends on, beside the context and the order that it begins with: the bytes that it
 * reads, and whether pages and blocks allow its accesses. recall.go keeps it with the
 * run's outcome, so that the run needn't be made again where all of it is the same.
 *
 * A run that depends on anything else isn't kept: its notes are unusable.
 */
#include <string.h>

#include "machine.h"

void note_value(struct machine *m, uint64_t addr, uint32_t size, uint8_t kind)
{
	if (m->notes.n == MAX_NOTED || size > sizeof m->notes.all->value || addr >> PAGE_SHIFT != (addr + size - 1) >> PAGE_SHIFT) {
		m->notes.unusable = true;
		return;
	}
	struct noted *n = &m->notes.all[m->notes.n++];
	n->addr = addr;
	n->size = (uint8_t)size;
	n->kind = kind;
	n->value = 0;
	memcpy(&n->value, m->mem + addr, size);
}

/* The bits of a block's bytes are guest memory (heap.go). Code that reads ahead depends on more of them. */
static void note_blocks(struct machine *m, uint64_t addr, uint32_t size)
{
	uint64_t lo = addr - m->heap_lo;
	uint64_t first = lo >> GRANULE_SHIFT;
	uint64_t last = (lo + size - 1) >> GRANULE_SHIFT;
	if (addr - m->hole_lo < m->hole_len)
		return;
	if (addr < m->heap_lo || lo + size > m->heap_len || reads_ahead(m, m->pc)) {
		m->notes.unusable = true;
		return;
	}
	for (uint64_t g = first; g <= last; g++)
		note_value(m, (uint64_t)(m->alive - m->mem) + g, 1, NOTED_VALUE);
}

/*
 * An access that has been looked at (access.c), and that the run stops before or is about to make.
 * The run depends on the bytes that a load reads. Of a store that is recorded it depends on the old bytes
 * too: it may store what is there. Of the access that it stops before it depends on what a
 * compare-and-exchange finds, and on nothing else but permissions.
 */
void note_access(struct machine *m, uint64_t addr, uint32_t size, bool write)
{
	uint64_t last = addr + size - 1;
	bool own = !m->blind && m->shadow[addr >> GRANULE_SHIFT] == m->me && m->shadow[last >> GRANULE_SHIFT] == m->me;
	if (m->why) {
		m->notes.unusable |= m->result.access.addr != addr; /* its first part is made, or the whole is refused */
		bool compares = m->cas == m->insn;
		m->notes.unusable |= compares && m->cas_pair;
		note_value(m, addr, size, (compares ? NOTED_VALUE : 0) | (write ? NOTED_STORE : 0) | NOTED_ACCESS);
		return;
	}
	if (!own && m->checking && addr - m->grave_lo < m->grave_len)
		m->notes.unusable = true;
	if (m->checking && last >= m->heap_lo && addr < m->heap_lo + m->heap_len)
		note_blocks(m, addr, size);
	bool value = !write || !(own || m->blind);
	note_value(m, addr, size, (value ? NOTED_VALUE : 0) | (write ? NOTED_STORE : 0) | NOTED_ACCESS);
}

/* The bytes in place of those that a half-executed instruction has read: it gives them back at its end. Stores that
 * it has made aren't made again: others may have stored there since, and the run would read that. */
void note_held(struct machine *m, const struct slot *s)
{
	m->notes.unusable |= s->done != 0;
	for (uint8_t i = 0; i < s->nheld; i++)
		for (uint32_t at = 0; at < s->held[i].size; at += 8) {
			uint32_t rest = s->held[i].size - at;
			note_value(m, s->held[i].addr + at, rest < 8 ? rest : 8, NOTED_VALUE | NOTED_HELD);
		}
}
