/*
 * The code hook: called before every instruction. It numbers the instruction,
 * and stops the run where a class byte, a breakpoint or a limit says so.
 */
#include "classify.h"
#include "machine.h"

enum {
	CLI = 0xFA,
};

/* The instruction at the program counter, taken apart again. */
static struct insn look(const struct machine *m, uint64_t addr)
{
	if (is_program(m, addr))
		return program_insn(m, addr);
	addr = code_at(m, addr);
	uint64_t rest = m->space - addr;
	return classify(m->mem + addr, rest < 16 ? (uint32_t)rest : 16, m->is32);
}

uint8_t learn_class(struct machine *m, uint64_t addr, uint32_t size)
{
	struct insn x = look(m, addr);
	enum kind kind = x.kind;
	if (m->bare && !is_program(m, addr)) {
		if (x.system)
			kind = KIND_PLAIN;
		else if (x.flags)
			kind = KIND_PRIVILEGED;
		else if (x.stack)
			kind = KIND_STACK;
		else if (x.fill && m->programs)
			kind = KIND_FILL;
	}
	if ((m->knobs & KNOB_NO_LOCK) && kind == KIND_LOCKED)
		kind = KIND_PLAIN;
	bool crosses = (addr ^ (addr + size - 1)) >> PAGE_SHIFT;
	if (kind == KIND_PLAIN && size <= 16 && crosses)
		kind = KIND_CROSSING;
	if (kind == KIND_PLAIN && has_frame(m, addr))
		kind = KIND_FRAME;
	uint8_t *class = &m->code[code_at(m, addr) - m->code_lo];
	*class = (*class & CODE_BREAK) | CODE_KNOWN | kind;
	m->learned = m->insn;
	return *class;
}

/* Has the instruction's first access looked at (operand_refused). */
static void guard(struct machine *m, uint64_t addr, enum kind kind)
{
	if (m->knobs & KNOB_NO_GUARD)
		return;
	m->guard.insn = m->insn;
	m->guard.aligned = true;
	m->guard.control = CONTROL_NONE;
	if (kind == KIND_ALIGNED)
		return;
	struct insn x = look(m, addr);
	m->guard.aligned = x.aligned;
	m->guard.control = m->bare && x.flags ? CONTROL_NONE : x.control;
}

static void note_pc(struct machine *m, uint64_t addr)
{
	if (m->ntrace == 2 * TRACE_LEN) {
		for (uint32_t i = 0; i < TRACE_LEN; i++)
			m->trace[i] = m->trace[TRACE_LEN + i];
		m->ntrace = TRACE_LEN;
	}
	m->trace[m->ntrace++] = addr;
	m->traced = m->insn;
}

/* The value that a compare-and-exchange compares with. */
static void note_cas(struct machine *m, uint64_t addr, bool pair)
{
	uint64_t low;
	uint64_t high = 0;
	m->atomic = m->insn;
	if (m->knobs & KNOB_NO_CAS)
		return;
	low = cpu_read(m, REG_RAX);
	if (pair)
		high = cpu_read(m, REG_RDX);
	m->cas = m->insn;
	m->cas_pair = pair && look(m, addr).wide;
	if (pair && !m->cas_pair)
		low = (low & UINT32_MAX) | high << 32;
	m->expect[0] = low;
	m->expect[1] = high;
}

static void stop_before(struct machine *m, uint64_t addr, enum why why)
{
	struct insn x = look(m, addr);
	m->result.len = x.len;
	m->result.detail = x.name;
	m->result.vector = x.vector;
	m->result.syscall = x.syscall;
	m->result.sysenter = x.sysenter;
	stop_run(m, why);
}

/* Whether the instruction changes nothing that the stop would be for: interrupts
 * go off that are off, or the stack pointer moves by a function's frame, within
 * its page. Kernels do so at every call, and a stop costs a thousand of these. */
static bool changes_nothing(struct machine *m, uint64_t addr, enum kind kind)
{
	const uint8_t *p = m->mem + code_at(m, addr);
	if (!m->bare || kind == KIND_FILL)
		return false;
	if (kind == KIND_PRIVILEGED)
		return *p == CLI && !(cpu_read(m, REG_RFLAGS) & FLAG_INTERRUPT);
	int from = stack_source(p, m->is32);
	if (from < 0 || (m->order.flags & RUN_STACK_LOADS))
		return false;
	uint64_t sp = cpu_encoded(m, STACK_POINTER);
	uint64_t to = cpu_encoded(m, from);
	return sp >> PAGE_SHIFT == to >> PAGE_SHIFT && to - sp + FRAME_ROOM <= 2 * FRAME_ROOM;
}

/* An instruction's last byte may be in a page that isn't code. */
static void check_end(struct machine *m, uint64_t addr, uint32_t size)
{
	if (!is_program(m, addr) && !(m->perm[code_at(m, addr + size - 1) >> PAGE_SHIFT] & PERM_EXEC))
		stop_fault(m, FAULT_FETCH, addr + size - 1, 1);
}

/* Whether an instruction waits until its processor's store buffer is empty: a fence, a
 * locked instruction, or one that serialises. */
static bool fences(const struct machine *m, enum kind kind)
{
	if (!(m->order.flags & RUN_FENCES) || (m->order.skip_fence && m->insn == 1) || m->replay)
		return false;
	return kind == KIND_FENCE || kind == KIND_LOCKED || kind == KIND_CAS || kind == KIND_CAS_PAIR || kind == KIND_CPUID;
}

static void act_on_kind(struct machine *m, uint64_t addr, uint32_t size, enum kind kind)
{
	if (unlikely(fences(m, kind))) {
		stop_run(m, STOP_FENCE);
		return;
	}
	if ((m->knobs & KNOB_NO_TRAPS) && kind >= KIND_TRAP)
		return;
	if ((m->knobs & KNOB_HOST_CPU) && kind >= KIND_CPUID && kind <= KIND_RDTSCP)
		return;
	switch (kind) {
	case KIND_PLAIN:
		return;
	case KIND_FENCE:
		note_fence(m);
		check_end(m, addr, size);
		return;
	case KIND_LOCKED:
		note_fence(m);
		m->atomic = m->insn;
		return;
	case KIND_CAS:
	case KIND_CAS_PAIR:
		note_fence(m);
		note_cas(m, addr, kind == KIND_CAS_PAIR);
		if (kind == KIND_CAS)
			halves_note(m, look(m, addr));
		return;
	case KIND_CARRY:
		carry_note(m);
		check_end(m, addr, size);
		return;
	case KIND_COMPARE:
		halves_note(m, look(m, addr));
		check_end(m, addr, size);
		return;
	case KIND_STRINGS:
		m->strings = m->insn;
		return;
	case KIND_CPUID:
		note_fence(m);
		virtual_cpuid(m, look(m, addr).len);
		return;
	case KIND_RDTSC:
	case KIND_RDTSCP:
		virtual_time(m, look(m, addr).len, kind == KIND_RDTSCP);
		return;
	case KIND_X87:
		if (!(m->knobs & KNOB_NO_GUARD))
			virtual_x87(m, look(m, addr).len, look(m, addr).x87);
		return;
	case KIND_FRAME:
		fill_frame(m, addr);
		return;
	case KIND_TRAP:
		stop_before(m, addr, STOP_TRAP);
		return;
	case KIND_ILLEGAL:
		stop_exception(m, VECTOR_ILLEGAL, FAULT_ILLEGAL, addr);
		return;
	case KIND_BREAKPOINT:
		stop_exception(m, look(m, addr).vector, FAULT_BREAKPOINT, addr);
		m->result.len = look(m, addr).len;
		return;
	case KIND_FILL:
		if (!(m->order.flags & RUN_FILLS))
			return;
		/* fall through */
	case KIND_PRIVILEGED:
	case KIND_STACK:
		if (m->order.permit && m->insn == 1)
			return;
		if (changes_nothing(m, addr, kind))
			return;
		stop_before(m, addr, STOP_PRIVILEGED);
		m->result.len = size;
		return;
	case KIND_UNMODELLED:
		stop_before(m, addr, STOP_UNMODELLED);
		return;
	case KIND_ALIGNED:
	case KIND_CONTROL:
		guard(m, addr, kind);
		/* fall through */
	case KIND_CROSSING:
		check_end(m, addr, size);
		return;
	}
}

static bool break_here(struct machine *m, uint64_t n)
{
	if (m->order.flags & RUN_IGNORE_BREAKS)
		return false;
	return n != 1 || !(m->order.skip_break || m->half_from);
}

/* Everything but a plain instruction in the middle of a run. */
static void look_further(struct machine *m, uint64_t addr, uint32_t size)
{
	uint64_t n = m->insn;
	uint64_t off = code_at(m, addr) - m->code_lo;
	if (m->why)
		return; /* a late stop: the instruction before this one should have been the last */
	if (unlikely(n == m->halves.at)) {
		halves_restore(m);
		set_alarm(m);
	}
	if (n == 2 && m->half_from) {
		half_finish(m);
		set_alarm(m);
	}
	if (n == m->order.stop_at) {
		stop_run(m, STOP_INSN);
		return;
	}
	if (unlikely(__atomic_load_n(&m->halt, __ATOMIC_RELAXED)) && !m->replay) {
		stop_run(m, STOP_BUDGET);
		return;
	}
	if (n > m->order.budget) {
		stop_run(m, STOP_BUDGET);
		return;
	}
	if (off < m->code_len && is_program(m, addr)) {
		m->programs[off >> PAGE_SHIFT] = 1;
	} else if (off >= m->code_len || !(m->perm[(off + m->code_lo) >> PAGE_SHIFT] & PERM_EXEC)) {
		stop_fault(m, FAULT_FETCH, addr, 1);
		return;
	}
	uint8_t class = m->code[off];
	if (!(class & CODE_KNOWN))
		class = learn_class(m, addr, size);
	if ((class & CODE_BREAK) && break_here(m, n)) {
		m->result.brk = m->brk[off];
		stop_run(m, STOP_BREAK);
		return;
	}
	act_on_kind(m, addr, size, class & CODE_KIND);
	if ((m->order.flags & RUN_TRACE) && !m->why && !m->replay)
		note_pc(m, addr);
	if ((m->order.flags & RUN_HASH) && !m->why && !m->replay)
		hash_path(m, addr);
	if ((m->order.flags & RUN_NARRATE) && !m->why && !m->replay)
		narrate(m, addr, size, TOLD_INSN);
}

void on_insn(uc_engine *uc, uint64_t addr, uint32_t size, void *user)
{
	(void)uc;
	struct machine *m = user;
	m->pc = addr;
	uint64_t n = ++m->insn;
	uint64_t at = addr - m->code_bias; /* code below that is looked at further */
	uint64_t off = at - m->code_lo;
	if (likely(n < m->alarm && off < m->code_len && (m->code[off] | CODE_SINGLE) == (CODE_KNOWN | CODE_SINGLE | KIND_PLAIN) &&
	           (m->perm[at >> PAGE_SHIFT] & PERM_EXEC)))
		return;
	look_further(m, addr, size);
}
