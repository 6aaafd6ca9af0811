/*
 * One run of the CPU: load a context, run to the place where the hooks stop,
 * put the machine exactly before the instruction there, save the context.
 *
 * The engine gets neither `until` nor `count`: the first makes it translate
 * anew at each run, the second may flush all translated code, which costs 0.1 s.
 */
#include <string.h>

#include "machine.h"
#include "journal.h"

/* Asks the engine to stop, at the instruction under way. */
void stop_run(struct machine *m, enum why why)
{
	m->why = why;
	m->alarm = 0;
	if (m->uc)
		uc_emu_stop(m->uc);
}

/* Notes that the stop to come is at an access of the instruction under way. */
void stop_in_access(struct machine *m)
{
	m->stop_in_access = true;
	m->stop_insn = m->insn;
	m->stop_pc = m->pc;
}

void stop_unmodelled(struct machine *m, const char *what)
{
	m->result.detail = what;
	stop_run(m, STOP_UNMODELLED);
}

void stop_fault(struct machine *m, enum fault kind, uint64_t addr, uint32_t size)
{
	if (m->why)
		return;
	m->result.fault = kind;
	m->result.fault_addr = far_address(m, addr);
	m->result.fault_size = size;
	if (kind == FAULT_READ || kind == FAULT_WRITE || kind == FAULT_BLOCK_READ || kind == FAULT_BLOCK_WRITE || kind == FAULT_STACK)
		stop_in_access(m);
	stop_run(m, STOP_FAULT);
}

/* A fault that the processor itself would report to the guest's kernel. */
void stop_exception(struct machine *m, uint32_t vector, enum fault kind, uint64_t addr)
{
	if (m->why)
		return;
	stop_fault(m, kind, addr, 0);
	m->result.vector = (uint8_t)vector;
	m->result.raised = true;
}

static uint32_t owner_byte(int32_t thread)
{
	return thread >= 0 && thread < LAST_OWNER ? (uint32_t)thread + 1 : SHARED;
}

/* Which accesses the memory hook looks at. */
static void set_view(struct machine *m)
{
	uint32_t flags = m->order.flags;
	bool quiet = flags & RUN_QUIET;
	bool solo = flags & RUN_SOLO;
	m->owner = owner_byte(m->order.thread);
	m->checking = (!quiet || (flags & RUN_CHECK)) && !(flags & RUN_UNCHECKED) && !m->replay;
	m->watching = quiet && (flags & RUN_WATCH);
	m->any = ((flags & RUN_RECORD_ALL) && !quiet) || (flags & RUN_OVERHEAR);
	m->blind = m->replay || (quiet && !m->watching) || (solo && !m->any);
	bool look = m->any || m->all_shared || m->owner == SHARED || (flags & (RUN_INTRUDES | RUN_PARTIES));
	m->me = look ? NO_OWNER : m->owner;
	if (m->watching)
		m->order.flags &= ~(uint32_t)RUN_STOPS;
}

/* The instruction number from which on the code hook looks at more than a
 * class byte. */
void set_alarm(struct machine *m)
{
	const struct order *o = &m->order;
	m->alarm = o->budget == UINT64_MAX ? UINT64_MAX : o->budget + 1;
	if (o->stop_at < m->alarm)
		m->alarm = o->stop_at;
	if (m->half_from && m->alarm > 2)
		m->alarm = 2;
	if (o->flags & (RUN_TRACE | RUN_HASH | RUN_NARRATE))
		m->alarm = 0;
	if (m->halves.at && m->alarm > m->halves.at)
		m->alarm = m->halves.at;
}

static void begin_run(struct machine *m)
{
	memset(&m->result, 0, offsetof(struct result, regs));
	m->nrecords = 0;
	m->ntrace = 0;
	m->nevents = 0;
	m->learned = 0;
	m->nstores = 0;
	m->notes.n = 0;
	m->notes.unusable = false;
	m->replay = false;
	if (m->order.budget == 0)
		m->order.budget = UINT64_MAX;
	if (m->order.stop_at == 0)
		m->order.stop_at = UINT64_MAX;
	m->run++;
}

void begin_pass(struct machine *m)
{
	m->insn = 0;
	m->why = STOP_NONE;
	m->atomic = 0;
	m->wrote = 0;
	m->read_insn = 0;
	m->echoes = 0;
	m->cas = 0;
	m->strings = 0;
	m->guard.insn = 0;
	m->halves.at = 0;
	m->halves.carry = 0;
	m->open = false;
	m->stop_in_access = false;
	m->stop_at_fetch = false;
	m->program_page = 1; /* no page's address: page tables may have changed */
	m->events.insn = 0;
}

static void load(struct machine *m, const struct slot *from)
{
	const struct order *o = &m->order;
	if (m->live != o->from || unlikely(m->excepted))
		context_load(m, o->from);
	m->live = -1;
	cpu_write(m, o->set, o->regs);
	m->clock = from->clock;
	m->user = o->user;
	m->pc = o->set & 1u << REG_RIP ? o->regs[REG_RIP] : from->pc;
}

/* Lets the engine run. Its result is of interest only when no hook has stopped
 * it. */
void emulate(struct machine *m)
{
	set_view(m);
	set_alarm(m);
	m->ran = true;
	size_t count = 0;
	if ((m->knobs & KNOB_COUNT) && m->order.stop_at != UINT64_MAX)
		count = m->order.stop_at;
	uc_err err = engine_run(m, count);
	if (m->why)
		return;
	if (!err) {
		/* The one end that is no hook's: the guest reached address 0. */
		m->stop_at_fetch = true;
		stop_fault(m, FAULT_FETCH, 0, 1);
		return;
	}
	m->result.detail = uc_strerror(err);
	stop_run(m, STOP_UNMODELLED);
}

static uint64_t engine_pc(struct machine *m)
{
	uint64_t pc = 0;
	if (!m->uc)
		return m->plain[REG_RIP];
	uc_reg_read(m->uc, m->is32 ? UC_X86_REG_EIP : UC_X86_REG_RIP, &pc);
	return pc;
}

/* A stop in the memory hook is late when the instruction makes its accesses in
 * a helper of the engine, and so ran to its end. */
static bool late(struct machine *m)
{
	if (!m->stop_in_access || !m->uc || (m->knobs & KNOB_NO_LATE))
		return false;
	return m->insn != m->stop_insn || engine_pc(m) != m->stop_pc;
}

/* Undoes the whole run and runs again to before the instruction. The first
 * records stay. */
static void run_again(struct machine *m, const struct slot *from, uint64_t journal, bool resumed)
{
	enum why why = m->why;
	uint64_t until = m->stop_insn;
	struct events events = m->events;
	struct order order = m->order;

	m->late++;
	journal_rollback(m, journal);
	begin_pass(m);
	load(m, from);
	if (until > 1) {
		struct result result = m->result;
		m->replay = true;
		m->order.stop_at = until;
		m->order.budget = UINT64_MAX;
		m->order.flags &= ~(uint32_t)RUN_TRACE;
		half_resume(m, resumed ? from : NULL);
		emulate(m);
		m->result = result;
		m->replay = false;
	}
	m->order = order;
	m->events = events;
	m->insn = until;
	m->pc = m->stop_pc;
	m->why = why;
}

/* Takes back the stores so far of the instruction at the stop. */
static void undo_poised(struct machine *m, uint64_t journal)
{
	if (m->knobs & KNOB_NO_STORE_UNDO)
		return;
	if (m->insn == 1 && m->half_from)
		journal_rollback(m, journal); /* the held bytes too */
	else if (m->wrote == m->insn)
		journal_rollback(m, m->wrote_from);
}

/* The program counter of the next instruction, and how many are complete. */
static void place(struct machine *m)
{
	struct result *r = &m->result;
	if (m->stop_at_fetch) {
		r->pc = engine_pc(m);
		r->insns = m->insn;
		if (m->halves.at == m->insn + 1)
			halves_restore(m);
		if (m->half_from && m->insn >= 1)
			half_finish(m);
		return;
	}
	r->pc = m->pc;
	r->insns = m->insn - 1;
	if (unlikely(m->halves.carry == m->insn))
		carry_restore(m);
}

/* The slot's part of an instruction stopped half-way, or not yet gone on with. */
static void keep_half(struct machine *m, struct slot *to, const struct slot *from, bool resumed)
{
	bool still = resumed && m->result.insns == 0 && m->why != STOP_FAULT;
	to->parts = 0;
	to->done = 0;
	to->nheld = 0;
	if (m->result.parts) {
		to->done = m->events.done;
		to->nheld = m->events.nheld;
		memcpy(to->held, m->events.held, sizeof to->held);
	} else if (still) {
		m->result.parts = from->parts;
		to->done = from->done;
		to->nheld = from->nheld;
		memcpy(to->held, from->held, sizeof to->held);
	}
	to->parts = m->result.parts;
}

static void fill_slot(struct machine *m, const struct slot *from, bool resumed)
{
	struct slot *to = &m->slots[m->order.to];
	keep_half(m, to, from, resumed);
	to->pc = m->result.pc;
	to->clock = from->clock + m->result.insns;
	to->poised = m->result.access;
	to->cas = m->result.cas;
	memcpy(to->expect, m->result.expect, sizeof to->expect);
	context_save(m, m->order.to);
	if (unlikely(m->result.raised))
		context_exception(m, m->order.to);
}

static void fill_regs(struct machine *m)
{
	switch (m->why) {
	case STOP_BREAK:
	case STOP_TRAP:
	case STOP_FAULT:
	case STOP_PRIVILEGED:
	case STOP_UNMODELLED:
	case STOP_DEVICE:
		context_regs(m, m->order.to, m->result.regs);
		break;
	default:
		break;
	}
}

/* An instruction that the run reached and didn't begin isn't known for that: what is known
 * was executed (machine_ran). Those that a fault stops, or the kernel carries out, were begun. */
static void unlearn(struct machine *m)
{
	switch (m->why) {
	case STOP_ACCESS:
	case STOP_BREAK:
	case STOP_BUDGET:
	case STOP_INSN:
	case STOP_PRIVILEGED:
	case STOP_FENCE:
		break;
	default:
		return;
	}
	uint64_t off = code_at(m, m->result.pc) - m->code_lo;
	if (off < m->code_len && !m->result.parts)
		m->code[off] &= CODE_BREAK;
}

/* Whether an instruction in [lo, hi) was executed, by any thread in any run. */
bool machine_ran(const struct machine *m, uint64_t lo, uint64_t hi)
{
	for (uint64_t a = lo; a < hi; a++) {
		uint64_t off = code_at(m, a) - m->code_lo;
		if (off < m->code_len && (m->code[off] & CODE_KNOWN))
			return true;
	}
	return false;
}

/* Has machine_ran answer no for [lo, hi), until an instruction there is executed again: it
 * is taken apart once more then. */
void machine_not_ran(struct machine *m, uint64_t lo, uint64_t hi)
{
	for (uint64_t a = lo; a < hi; a++) {
		uint64_t off = code_at(m, a) - m->code_lo;
		if (off < m->code_len)
			m->code[off] &= CODE_BREAK;
	}
}

/* The instruction at addr was executed, but not by the machine: a kernel carried it out. */
void machine_did(struct machine *m, uint64_t addr, uint32_t size)
{
	uint64_t off = code_at(m, addr) - m->code_lo;
	if (off < m->code_len && !(m->code[off] & CODE_KNOWN))
		learn_class(m, addr, size);
}

static struct begun begin(struct machine *m)
{
	const struct slot *from = &m->slots[m->order.from];
	struct begun b = {
		.journal = m->njournal,
		.first = m->ntold,
		.resumed = from->parts && !(m->order.set & 1u << REG_RIP),
	};
	begin_run(m);
	begin_pass(m);
	programs_forget(m);
	load(m, from);
	if (m->notes.on && b.resumed)
		note_held(m, from);
	half_resume(m, b.resumed ? from : NULL);
	return b;
}

static void end(struct machine *m, struct begun b)
{
	const struct slot *from = &m->slots[m->order.from];
	m->notes.on = false; /* what follows depends on nothing else */
	if (late(m))
		run_again(m, from, b.journal, b.resumed);
	undo_poised(m, b.journal);
	stored_show(m);
	place(m);
	records_finish(m);
	if (m->ntrace && m->traced > m->result.insns)
		m->ntrace--; /* begun, but not completed */
	m->result.why = m->why;
	if (unlikely(m->learned == m->result.insns + 1))
		unlearn(m);
	fill_slot(m, from, b.resumed);
	fill_regs(m);
	narrate_end(m, b.first);
	if (unlikely(probe_needed(m)))
		probe(m);
	if (m->order.reuse)
		slots_swap(m, m->order.from, m->order.to);
}

void machine_run(struct machine *m)
{
	struct begun b = begin(m);
	emulate(m);
	end(m, b);
}

/* The same where Go carries the instructions out between the two, and calls the hooks
 * (script.go). */
struct begun script_begin(struct machine *m)
{
	struct begun b = begin(m);
	set_view(m);
	set_alarm(m);
	return b;
}

void script_end(struct machine *m, struct begun b)
{
	end(m, b);
}
