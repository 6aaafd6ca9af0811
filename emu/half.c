/*
 * Half-executed instructions.
 *
 * On several processors an unlocked instruction that reads one shared place and
 * then accesses another (addl $1, x; movs; cmps; push [x]) isn't atomic: others
 * may run between. The engine can't stop inside an instruction, so the thread
 * keeps the bytes that the instruction has read. When it goes on, they are put
 * back, and the instruction runs from its beginning. Then every such byte that
 * it didn't write itself gets the other threads' value back.
 *
 * An instruction whose earlier event was a write (fxsave and the like) isn't
 * split after it: it could not be begun again.
 */
#include <string.h>

#include "journal.h"

static void hold(struct machine *m, uint64_t addr, uint32_t size)
{
	struct events *e = &m->events;
	if (e->nheld) {
		struct held *h = &e->held[e->nheld - 1];
		if (addr == h->addr + h->size && h->size + size <= MAX_EVENT) {
			memcpy(h->bytes + h->size, m->mem + addr, size);
			h->size += size;
			return;
		}
	}
	if (e->nheld == MAX_HELD) {
		e->full = true;
		return;
	}
	struct held *h = &e->held[e->nheld++];
	h->addr = addr;
	h->size = size;
	memcpy(h->bytes, m->mem + addr, size);
}

/* Remembers the read at addr of the instruction under way, and its earlier
 * reads of its thread's own memory. */
void half_hold(struct machine *m, uint64_t addr, uint32_t size)
{
	if (m->read_insn == m->insn) {
		m->read_insn = 0;
		hold(m, m->read_addr, m->read_size);
	}
	hold(m, addr, size);
}

/* Whether the instruction under way has made this access before. */
bool half_covers(struct machine *m, uint64_t addr, uint32_t size, bool write)
{
	const struct events *e = &m->events;
	if (m->insn != 1 || !m->half_from)
		return false;
	if (write)
		return m->half_done && stored_before(m, addr, true) + size <= m->half_done;
	for (uint8_t i = 0; i < e->nheld; i++) {
		const struct held *h = &e->held[i];
		if (h->addr <= addr && addr + size <= h->addr + h->size)
			return true;
	}
	return false;
}

/* Puts bytes into memory, by the journal, if they aren't there. */
void half_put(struct machine *m, uint64_t addr, const uint8_t *bytes, uint32_t size)
{
	for (uint32_t at = 0; at < size; at += 8) {
		uint32_t n = size - at < 8 ? size - at : 8;
		if (!memcmp(m->mem + addr + at, bytes + at, n))
			continue;
		journal_memory(m, addr + at, n);
		memcpy(m->mem + addr + at, bytes + at, n);
	}
}

/* Begins a run, inside an instruction if s isn't NULL. */
void half_resume(struct machine *m, const struct slot *s)
{
	struct events *e = &m->events;
	m->half_from = 0;
	if (!s)
		return;
	e->insn = 1;
	e->full = false;
	e->parts = s->parts;
	e->done = s->done;
	e->nheld = s->nheld;
	memcpy(e->held, s->held, sizeof e->held);
	for (uint8_t i = 0; i < s->nheld; i++) {
		m->others[i] = s->held[i];
		memcpy(m->others[i].bytes, m->mem + s->held[i].addr, s->held[i].size);
	}
	if (!(m->knobs & KNOB_NO_HOLD))
		for (uint8_t i = 0; i < s->nheld; i++)
			half_put(m, s->held[i].addr, s->held[i].bytes, s->held[i].size);
	m->nothers = s->nheld;
	m->half_done = s->done;
	m->half_from = m->njournal + 1;
}

/* Whether the instruction that the run began in wrote this byte. */
static bool wrote_byte(const struct machine *m, uint64_t addr)
{
	for (uint64_t i = m->half_from - 1; i < m->half_to; i++) {
		const struct undo *u = &m->journal[i];
		uint64_t at = u->where & UNDO_PLACE_MASK;
		if (addr - at < u->where >> UNDO_SIZE_SHIFT)
			return true;
	}
	return false;
}

/* Gives the others' bytes back when the instruction has ended. */
void half_finish(struct machine *m)
{
	if (m->half_done)
		stored_again(m);
	m->half_to = m->njournal;
	for (uint8_t i = 0; i < m->nothers && !(m->knobs & KNOB_NO_GIVE_BACK); i++) {
		const struct held *h = &m->others[i];
		for (uint32_t b = 0; b < h->size; b++)
			if (!wrote_byte(m, h->addr + b))
				half_put(m, h->addr + b, &h->bytes[b], 1);
	}
	m->half_from = 0;
}
