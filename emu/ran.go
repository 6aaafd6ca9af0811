package emu

// #include "machine.h"
import "C"

// Ran reports whether an instruction in [lo, hi) was executed, in any run of the machine
// since ForgetRan, those that were taken back included. An instruction that threads reached only
// wasn't. Nothing is recorded for it: the code hook takes each instruction apart once.
func (m *Machine) Ran(lo, hi uint64) bool {
	return bool(C.machine_ran(m.c, C.uint64_t(lo), C.uint64_t(hi)))
}

// ForgetRan has Ran count from now on for [lo, hi).
func (m *Machine) ForgetRan(lo, hi uint64) {
	m.recall.forget() // a run that isn't made executes nothing
	C.machine_not_ran(m.c, C.uint64_t(lo), C.uint64_t(hi))
}

// Did has Ran count an instruction of size bytes that was carried out for the machine, which only
// reached it (StopPrivileged).
func (m *Machine) Did(pc, size uint64) {
	if off := pc - m.cfg.CodeBias - m.lo; pc >= m.cfg.CodeBias && off < uint64(len(m.code)) && m.code[off]&C.CODE_KNOWN != 0 {
		return // counted before: a call of C costs more than to look
	}
	C.machine_did(m.c, C.uint64_t(pc), C.uint32_t(size))
}

// EachRan calls f with the instructions that were executed, by any thread in any run,
// ascending.
func (m *Machine) EachRan(f func(addr uint64)) {
	for _, r := range m.cfg.Code {
		for a, c := range m.code[r.Lo-m.lo : r.Hi-m.lo] {
			if c&C.CODE_KNOWN != 0 {
				f(r.Lo + uint64(a))
			}
		}
	}
}
