package emu

/*
#include "machine.h"

static void idle(uc_engine *uc, uint64_t addr, uint32_t size, void *user)
{
	(void)uc;
	(void)addr;
	(void)size;
	(void)user;
}

static void idle_hook(struct machine *m)
{
	uc_hook h;
	uc_hook_add(m->uc, &h, UC_HOOK_CODE, (void *)idle, NULL, 1, 0);
}
*/
import "C"

// Cures that a test switches off, to see that it would fail without them.
const (
	knobNoLate      = C.KNOB_NO_LATE
	knobNoStoreUndo = C.KNOB_NO_STORE_UNDO
	knobNoEcho      = C.KNOB_NO_ECHO
	knobNoCAS       = C.KNOB_NO_CAS
	knobNoLock      = C.KNOB_NO_LOCK
	knobNoMerge     = C.KNOB_NO_MERGE
	knobNoHold      = C.KNOB_NO_HOLD
	knobNoGiveBack  = C.KNOB_NO_GIVE_BACK
	knobHostCPU     = C.KNOB_HOST_CPU
	knobNoTraps     = C.KNOB_NO_TRAPS
	knobCount       = C.KNOB_COUNT
	knobNoProbe     = C.KNOB_NO_PROBE
	knobNoGuard     = C.KNOB_NO_GUARD
)

// addCodeHook gives the engine a second code hook, which does nothing: for a test, in which
// there can't be C. Preconditions: the machine hasn't run.
func (m *Machine) addCodeHook() { C.idle_hook(m.c) }
