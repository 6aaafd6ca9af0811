/*
 * The prediction of a poised event.
 *
 * A run that stops before an event has seen one callback of it, of 8 bytes at
 * most: there may be more. So the instruction is tried and taken back. A read
 * on several processors is one event in its whole length (the next access is
 * another event). An instruction isn't split if there is one processor or it
 * begins with a store. Its event is then the smallest range that has all its
 * accesses, which may be more than is accessed but never less.
 *
 * Most instructions turn out to be as they were seen, and will always be: that
 * is kept with their class, and they aren't tried again.
 */
#include "classify.h"
#include "journal.h"

/* Whether an instruction's remaining accesses are one event: always so behind a
 * store, and when no more reads can be held (fxrstor). */
static bool is_whole(const struct machine *m, const struct slot *at)
{
	return m->uniprocessor || at->nheld == MAX_HELD;
}

bool probe_needed(const struct machine *m)
{
	if (m->why != STOP_ACCESS || (m->result.access.flags & ACCESS_ATOMIC))
		return false; /* all of a locked instruction is known already */
	if (!is_whole(m, &m->slots[m->order.to]))
		return false;
	if (!m->uc || (m->knobs & KNOB_NO_PROBE))
		return false;
	return !(m->code[code_at(m, m->stop_pc) - m->code_lo] & CODE_SINGLE);
}

/* Whether the instruction that made these records always makes just one access
 * of its first one's kind, of known size. */
static bool is_single(const struct access *a, uint64_t n, uint32_t size, bool whole)
{
	uint64_t alike = 0;
	for (uint64_t i = 0; i < n; i++)
		alike += whole || (a[i].flags & ACCESS_WRITE) == (a[0].flags & ACCESS_WRITE);
	return alike == 1 && a[0].size == size;
}

/* The smallest access that has n records in it. */
static struct access hull(const struct access *a, uint64_t n)
{
	struct access all = a[0];
	bool same = true;
	bool reads = false;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t end = all.addr + all.size;
		uint64_t my_end = a[i].addr + a[i].size;
		if (a[i].flags & ACCESS_PRIVATE)
			continue;
		same &= a[i].addr == all.addr && a[i].size == all.size;
		reads |= !(a[i].flags & ACCESS_WRITE);
		if (a[i].addr < all.addr)
			all.addr = a[i].addr;
		all.size = (uint32_t)((my_end > end ? my_end : end) - all.addr);
		all.flags |= a[i].flags & ACCESS_WRITE;
	}
	all.flags &= ACCESS_WRITE;
	if (same && reads && all.flags)
		all.flags |= ACCESS_RMW;
	all.insn = 0;
	return all;
}

/* Runs the instruction at the stop, with all that it accesses recorded behind
 * the run's own records. */
static void try_instruction(struct machine *m, const struct slot *at)
{
	m->order.flags = RUN_STOP_SHARED | RUN_RECORD_ALL | RUN_IGNORE_BREAKS;
	m->order.allow = UINT32_MAX;
	m->order.stop_at = 2;
	m->order.budget = UINT64_MAX;
	m->nevents = 0;
	m->pc = at->pc;
	begin_pass(m);
	half_resume(m, at->parts ? at : NULL);
	emulate(m);
}

/* Preconditions: the context at the stop is saved and live. */
void probe(struct machine *m)
{
	struct order order = m->order;
	struct result result = m->result;
	uint64_t journal = m->njournal;
	uint64_t first = m->nrecords;
	struct slot *at = &m->slots[order.to];
	bool whole = is_whole(m, at);

	try_instruction(m, at);
	const struct access *a = m->records + first;
	uint64_t n = m->nrecords - first;
	if (!at->parts && m->why == STOP_INSN && n && is_single(a, n, result.access.size, whole))
		m->code[code_at(m, at->pc) - m->code_lo] |= CODE_SINGLE;
	while (n && (a->flags & ACCESS_PRIVATE)) {
		a++;
		n--;
	}
	if (n)
		result.access = hull(a, whole ? n : 1);
	result.learned |= m->result.learned;
	at->poised = result.access;

	journal_rollback(m, journal);
	m->nrecords = first;
	m->live = -1;
	m->why = STOP_ACCESS;
	m->order = order;
	m->result = result;
}
