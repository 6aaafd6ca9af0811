/*
 * The engine's own complaints: memory that isn't there, exceptions, and
 * instructions that it can't decode.
 */
#include "classify.h"
#include "machine.h"

/* Whether the guest itself would allow an access that the engine refuses: the
 * machine keeps code where it was at the start. */
static bool guest_allows(const struct machine *m, uint64_t addr, uint8_t perm)
{
	return addr < m->space && (m->perm[addr >> PAGE_SHIFT] & perm);
}

bool on_invalid(uc_engine *uc, uc_mem_type type, uint64_t addr, int size, int64_t value, void *user)
{
	(void)uc;
	(void)value;
	struct machine *m = user;
	if (m->why)
		return false;
	switch (type) {
	case UC_MEM_FETCH_UNMAPPED:
	case UC_MEM_FETCH_PROT:
		m->stop_at_fetch = true;
		if (guest_allows(m, addr, PERM_EXEC))
			stop_unmodelled(m, "code made at run time");
		else
			stop_fault(m, FAULT_FETCH, addr, size);
		break;
	case UC_MEM_WRITE_UNMAPPED:
	case UC_MEM_WRITE_PROT:
		if (guest_allows(m, addr, PERM_WRITE)) {
			stop_in_access(m);
			stop_unmodelled(m, "a store into code");
		} else {
			stop_fault(m, FAULT_WRITE, addr, size);
		}
		break;
	default:
		stop_fault(m, FAULT_READ, addr, size);
		break;
	}
	return false;
}

void on_interrupt(uc_engine *uc, uint32_t number, void *user)
{
	(void)uc;
	struct machine *m = user;
	m->excepted = m->part;
	if (m->why)
		return;
	/* No exception is delivered here. An engine whose contexts aren't known
	 * (context_exception) remembers one all the same: the next page fault, of
	 * any thread, is a double fault to it. */
	if (m->bare && (number == VECTOR_PAGE || number == VECTOR_DOUBLE)) {
		uint64_t where = 0;
		uc_reg_read(m->uc, UC_X86_REG_CR2, &where);
		stop_exception(m, VECTOR_PAGE, FAULT_READ, where);
		return;
	}
	switch (number) {
	case VECTOR_DIVIDE:
		stop_exception(m, number, FAULT_DIVIDE, m->pc);
		return;
	case VECTOR_BREAKPOINT:
		stop_exception(m, number, FAULT_BREAKPOINT, m->pc);
		return;
	case VECTOR_ILLEGAL:
		stop_exception(m, number, FAULT_ILLEGAL, m->pc);
		return;
	case VECTOR_STACK:
	case VECTOR_PROTECTION:
	case VECTOR_PAGE:
		stop_exception(m, number, FAULT_PROTECTION, m->pc);
		return;
	case VECTOR_DEBUG:
		stop_unmodelled(m, "single stepping (the trap flag)");
		return;
	case VECTOR_DEVICE:
	case VECTOR_FLOAT:
	case VECTOR_SIMD:
		stop_unmodelled(m, "unmasked floating-point exception");
		return;
	default:
		stop_unmodelled(m, "processor exception");
		return;
	}
}

bool on_bad_insn(uc_engine *uc, void *user)
{
	(void)uc;
	struct machine *m = user;
	m->excepted = m->part;
	if (!m->why)
		stop_exception(m, VECTOR_ILLEGAL, FAULT_ILLEGAL, m->pc);
	return false;
}
