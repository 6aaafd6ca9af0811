/*
 * The engine aborts the process where its translator is at a loss (some bytes
 * that are no instruction, with a lock prefix: version 2.1.1). A guest may not do
 * that to landgo. So abort, which the dynamic linker takes from here, goes back to
 * the run under way: it ends there, as one with an instruction that isn't modelled.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine.h"

/* Where to go on, of the run on this thread of the host; NULL outside of runs. */
static _Thread_local jmp_buf *rescue;

uc_err engine_run(struct machine *m, size_t count)
{
	jmp_buf here;
	if (m->broken)
		return UC_ERR_EXCEPTION;
	if (setjmp(here)) {
		m->broken = true; /* it may hold locks, and half of a block */
		stop_unmodelled(m, "code that the engine can't translate");
		return UC_ERR_EXCEPTION;
	}
	rescue = &here;
	uc_err err = uc_emu_start(m->uc, m->pc, 0, 0, count);
	rescue = NULL;
	return err;
}

void abort(void)
{
	jmp_buf *to = rescue;
	rescue = NULL;
	if (to)
		longjmp(*to, 1);
	raise(SIGABRT); /* Go's handler tells the reason, and ends the process */
	_exit(134);
}
