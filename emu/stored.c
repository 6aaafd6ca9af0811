/*
 * The stores of a half-executed instruction.
 *
 * An instruction can be seen between its stores as well: a store of ten or
 * sixteen bytes, or across two cache lines, is two. When a run stops there, the
 * whole instruction is taken back, and the bytes of its first stores are put
 * into memory separately. When the thread goes on, the instruction runs from
 * its beginning and makes these stores again: they are taken back at its end.
 *
 * How far it has come is a number of bytes, in the order of its stores: the same
 * however much of them is shared.
 */
#include <string.h>

#include "journal.h"

static uint32_t size_of(const struct undo *u)
{
	return (uint32_t)(u->where >> UNDO_SIZE_SHIFT);
}

/* The bytes that the instruction under way has stored before the access at addr. The
 * journal has the store under way already. */
uint32_t stored_before(const struct machine *m, uint64_t addr, bool write)
{
	uint32_t n = 0;
	if (m->wrote != m->insn)
		return 0;
	uint64_t end = m->njournal - (write ? 1 : 0);
	for (uint64_t i = m->wrote_from; i < end; i++)
		n += size_of(&m->journal[i]);
	if (write)
		n += (uint32_t)(addr - (m->journal[end].where & UNDO_PLACE_MASK));
	return n;
}

/* Keeps the bytes from `from` to `to`, of those that the stores from `entry` on of
 * the journal have stored. Those of the latest store may not be in memory yet. */
static void keep(struct machine *m, uint64_t entry, uint32_t from, uint32_t to)
{
	uint32_t at = 0;
	m->nstores = 0;
	for (uint64_t i = entry; at < to && i < m->njournal; i++) {
		const struct undo *u = &m->journal[i];
		uint32_t size = size_of(u);
		uint32_t lo = at < from ? from - at : 0;
		uint32_t hi = at + size > to ? to - at : size;
		if (lo < hi) {
			if (m->nstores == MAX_STORES) {
				stop_unmodelled(m, "an instruction with that many stores");
				return;
			}
			struct stored *s = &m->stores[m->nstores++];
			s->addr = (u->where & UNDO_PLACE_MASK) + lo;
			s->size = hi - lo;
			if (hi < size)
				memcpy(s->bytes, (const uint8_t *)&m->store_value + lo, s->size);
			else
				memcpy(s->bytes, m->mem + s->addr, s->size);
		}
		at += size;
	}
}

/* Notes, at a stop inside the instruction under way, the visible part of its
 * stores. */
void stored_note(struct machine *m, uint64_t addr, bool write)
{
	uint32_t shown = m->insn == 1 && m->half_from ? m->half_done : 0;
	m->events.done = stored_before(m, addr, write);
	if (m->events.done < shown)
		m->events.done = shown;
	if (m->events.done > shown)
		keep(m, m->wrote_from, shown, m->events.done);
}

/* Puts the noted bytes into memory, once the instruction is taken back. */
void stored_show(struct machine *m)
{
	for (uint32_t i = 0; i < m->nstores; i++)
		half_put(m, m->stores[i].addr, m->stores[i].bytes, m->stores[i].size);
	m->nstores = 0;
}

/* At the end of an instruction that the run began in: its stores before the run
 * stay. */
void stored_again(struct machine *m)
{
	keep(m, m->half_from - 1, m->half_done, UINT32_MAX);
	journal_rollback(m, m->half_from - 1);
	for (uint8_t i = 0; i < m->nothers; i++)
		half_put(m, m->others[i].addr, m->others[i].bytes, m->others[i].size);
	stored_show(m);
	m->nothers = 0;
}
