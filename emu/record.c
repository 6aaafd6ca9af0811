/*
 * Events and records.
 *
 * An event is one access to a shared granule that the processor's manual makes indivisible: at
 * most 8 bytes, within a cache line. A 16-byte one is two, because the machine is one without
 * AVX, where nothing is promised of these. Where a run doesn't stop between the parts of an
 * access, they are one record of up to 16 bytes. All callbacks of a locked instruction are one
 * event.
 *
 * Program order is kept. When the run doesn't stop at events, exact repeats
 * (address, size, flags and program counter) are left out, so that a loop costs
 * no memory. The table that finds them forgets, so a repeat may stay.
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

static struct access *last_record(struct machine *m)
{
	return &m->records[m->nrecords - 1];
}

static uint32_t repeat_slot(const struct access *a)
{
	uint64_t h = (a->addr + a->size) * UINT64_C(0x9E3779B97F4A7C15);
	h ^= (a->pc + a->flags) * UINT64_C(0xC2B2AE3D27D4EB4F);
	return (uint32_t)(h >> 40) & (REPEAT_SLOTS - 1);
}

/* Takes the last record back if the run has it already. It is looked at only
 * when it is complete: its size and flags grow with further callbacks. */
static void drop_repeat(struct machine *m)
{
	struct access *a = last_record(m);
	uint64_t *slot = &m->repeat[repeat_slot(a)];
	uint64_t earlier = *slot & UINT32_MAX;
	if (*slot >> 32 == m->run && earlier + 1 < m->nrecords) {
		const struct access *b = &m->records[earlier];
		if (a->addr == b->addr && a->pc == b->pc && a->size == b->size && a->flags == b->flags) {
			m->nrecords--;
			return;
		}
	}
	*slot = (uint64_t)m->run << 32 | (m->nrecords - 1);
}

static void close_record(struct machine *m)
{
	if (!m->open)
		return;
	m->open = false;
	bool kept = (m->order.flags & RUN_OVERHEAR) && (last_record(m)->flags & ACCESS_PRIVATE);
	if (!kept && !(m->order.flags & RUN_STOP_SHARED))
		drop_repeat(m);
}

void records_finish(struct machine *m)
{
	close_record(m);
}

/* An instruction that empties the store buffer. Between the same two records one is as
 * good as many; of a long run the first ones are noted. */
void note_fence(struct machine *m)
{
	struct result *r = &m->result;
	if (m->replay)
		return;
	close_record(m);
	uint32_t at = (uint32_t)m->nrecords;
	if (r->nfences == MAX_FENCES || (r->nfences && r->fences[r->nfences - 1] == at))
		return;
	r->fences[r->nfences++] = at;
}

static bool grow_records(struct machine *m)
{
	if (m->nrecords >= RECORD_LIMIT)
		return false;
	struct access *grown = realloc(m->records, m->record_cap * 2 * sizeof *grown);
	if (!grown)
		return false;
	m->records = grown;
	m->record_cap *= 2;
	return true;
}

static void add_record(struct machine *m, uint64_t addr, uint32_t size, uint8_t flags)
{
	close_record(m);
	if (unlikely(m->nrecords >= m->record_cap) && !grow_records(m)) {
		stop_in_access(m);
		stop_unmodelled(m, "too many memory accesses in one run");
		return;
	}
	m->records[m->nrecords++] = (struct access){
		.addr = addr,
		.pc = m->pc,
		.size = size,
		.insn = (uint16_t)m->insn,
		.flags = flags,
	};
	m->open = true;
}

/* Whether the open record is of the instruction under way, and of this kind. */
static bool open_for(const struct machine *m, uint8_t private)
{
	const struct access *a = &m->records[m->nrecords - 1];
	return m->open && a->insn == (uint16_t)m->insn && a->pc == m->pc && (a->flags & ACCESS_PRIVATE) == private;
}

/* A callback that continues the access of the open record. */
static bool continues(struct machine *m, uint64_t addr, uint32_t size, bool write, bool silent)
{
	struct access *a = last_record(m);
	bool was_write = a->flags & ACCESS_WRITE;
	if (m->knobs & KNOB_NO_MERGE)
		return false;
	if (was_write != write || addr != a->addr + a->size || a->size + size > MAX_EVENT)
		return false;
	if (!write && m->strings == m->insn)
		return false;
	a->size += size;
	if (!silent)
		a->flags &= ~ACCESS_SILENT;
	return true;
}

/* Further callbacks of a locked instruction: the rest of a pair is read, then
 * both halves are written. */
static void continue_locked(struct machine *m, uint64_t addr, uint32_t size, bool write, bool silent)
{
	struct access *a = last_record(m);
	if (write) {
		if (a->flags & ACCESS_FAILED_CAS)
			return;
		if (!silent)
			a->flags &= ~ACCESS_SILENT;
		return;
	}
	if (addr == a->addr + a->size)
		a->size += size;
}

/* Whether the locked compare-and-exchange under way, which is reading the bytes
 * at addr, is going to fail. */
static bool cas_fails(const struct machine *m, uint64_t addr, uint32_t size)
{
	uint32_t whole = m->cas_pair ? 2 * size : size;
	return m->cas == m->insn && memcmp(m->expect, m->mem + addr, whole);
}

static uint8_t flags_of(const struct machine *m, uint64_t addr, uint32_t size, bool write, bool silent)
{
	if (m->atomic != m->insn)
		return write ? ACCESS_WRITE | (silent ? ACCESS_SILENT : 0) : 0;
	if (cas_fails(m, addr, size))
		return ACCESS_ATOMIC | ACCESS_FAILED_CAS;
	/* Silent until a store says otherwise. */
	return ACCESS_ATOMIC | ACCESS_RMW | ACCESS_WRITE | ACCESS_SILENT;
}

/* Stops the run before an event. */
static void poise(struct machine *m, uint64_t addr, uint32_t size, uint8_t flags, uint32_t parts)
{
	bool pair = m->cas == m->insn && m->cas_pair;
	m->result.access = (struct access){
		.addr = addr,
		.pc = m->pc,
		.size = pair ? size * 2 : size,
		.flags = flags & ~ACCESS_SILENT,
	};
	m->result.parts = parts;
	if (parts)
		stored_note(m, addr, flags & ACCESS_WRITE);
	m->result.cas = m->cas == m->insn;
	memcpy(m->result.expect, m->expect, sizeof m->result.expect);
	stop_in_access(m);
	stop_run(m, STOP_ACCESS);
}

/* Whether the run may stop before an event of the instruction under way. */
static bool counts(const struct machine *m)
{
	if (m->order.flags & RUN_STOP_SHARED)
		return true;
	if ((m->order.flags & RUN_STOP_ATOMIC) && m->atomic == m->insn)
		return true;
	if (!(m->order.flags & RUN_STOP_POINTS))
		return false;
	if (is_program(m, m->pc))
		return program_marked(m, m->pc);
	uint64_t off = code_at(m, m->pc) - m->code_lo;
	return off < m->code_len && m->point[off];
}

static void begin_events(struct machine *m)
{
	struct events *e = &m->events;
	e->insn = m->insn;
	e->full = false;
	e->parts = 0;
	e->done = 0;
	e->nheld = 0;
}

void event_access(struct machine *m, uint64_t addr, uint32_t size, bool write, bool silent)
{
	struct events *e = &m->events;
	bool first = e->insn != m->insn;
	bool locked = m->atomic == m->insn;
	/* An event that the run may stop before is one of its own. */
	bool of_its_own = first || !(m->uniprocessor || locked || e->full);
	bool counted = of_its_own && counts(m);
	if (!first && open_for(m, 0)) {
		if (locked) {
			continue_locked(m, addr, size, write, silent);
			return;
		}
		if (!counted && continues(m, addr, size, write, silent)) {
			if (!write)
				half_hold(m, addr, size);
			return;
		}
	}
	if (!first && half_covers(m, addr, size, write))
		return; /* made before the thread was stopped inside the instruction */
	if (first)
		begin_events(m);
	uint8_t flags = flags_of(m, addr, size, write, silent);
	if (counted) {
		if (m->nevents >= m->order.allow) {
			poise(m, addr, size, flags, e->parts);
			return;
		}
		m->nevents++;
	} else if (of_its_own && (m->order.flags & RUN_STOP_POINTS) && m->nevents < m->order.allow) {
		/* The run may make its first event, marked or not, without a stop. */
		m->nevents++;
	}
	add_record(m, addr, size, m->faulting ? 0 : flags);
	e->parts++;
	if (!write && !locked && !m->faulting)
		half_hold(m, addr, size);
}

/* A run stops before an access that faults as before any other, for it need not fault
 * when the thread goes on. When it does, the access has read whether the page is there. */
void event_fault(struct machine *m, uint64_t addr, uint32_t size, bool write)
{
	m->faulting = true;
	event_access(m, addr, size, write, false);
	m->faulting = false;
}

void record_private(struct machine *m, uint64_t addr, uint32_t size, bool write, bool silent)
{
	if (m->nrecords && open_for(m, ACCESS_PRIVATE)) {
		if (m->atomic == m->insn) {
			continue_locked(m, addr, size, write, silent);
			return;
		}
		if (continues(m, addr, size, write, silent))
			return;
	}
	add_record(m, addr, size, flags_of(m, addr, size, write, silent) | ACCESS_PRIVATE);
}

/* Notes an instruction or the address of an access. A function that reads ahead
 * depends on bytes that it was never given. */
void hash_path(struct machine *m, uint64_t word)
{
	if (reads_ahead(m, m->pc))
		return;
	m->path = (m->path ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	m->path ^= m->path >> 29;
}
