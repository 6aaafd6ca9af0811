package emu

// #include "machine.h"
import "C"

// Ran reports whether an instruction in [lo, hi) was ever executed, in any run of the
// machine, those that were taken back included. An instruction that threads came to only
// wasn't. Nothing is recorded for it: the code hook takes each instruction apart once.
func (m *Machine) Ran(lo, hi uint64) bool {
	return bool(C.machine_ran(m.c, C.uint64_t(lo), C.uint64_t(hi)))
}
