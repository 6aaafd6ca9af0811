package emu

// #include "machine.h"
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
