package emu

/*
#include "machine.h"

// The machine's address comes as a number: a pointer would have Go look at what
// it points to, at each call.
static void run_at(uintptr_t m)
{
	machine_run((struct machine *)m);
}
*/
import "C"

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"landgo/internal/trace"
)

// Run runs one thread's CPU from a context to the next stop. The context that it
// began from stays valid (but see Reuse); the stop is valid until the next Run.
func (m *Machine) Run(r *Run) *Stop {
	if r.From < 0 || int32(r.From) >= int32(m.c.nslots) {
		panic(fmt.Sprintf("emu: run from context %d of %d", r.From, m.c.nslots))
	}
	var b beginning
	note := false
	if m.asks(r, &b) {
		var s *Stop
		if s, note = m.recalled(r, &b); s != nil {
			return s
		}
	}
	was := m.beforeKept()
	m.c.notes.on = C.bool(note)
	to := m.newSlot()
	m.order(r, to)
	if m.cfg.Script != nil {
		m.play()
	} else {
		C.run_at(m.address())
	}
	if m.c.order.reuse {
		if int32(to) == int32(m.c.nslots)-1 {
			m.c.nslots--
		} else {
			m.free = append(m.free, to)
		}
		to = r.From
	}
	m.fillStop(r, to)
	if note {
		m.keep(r, &b, was)
	}
	return &m.stop
}

// reuses reports whether a run's first context is given up for its last.
func (m *Machine) reuses(r *Run) bool {
	return r.Reuse && (len(m.marks) == 0 || int32(r.From) >= m.marks[len(m.marks)-1].slots)
}

// Halt has runs stop before their next instruction, as if their budget were used up;
// or not any more. It is the only method that may be called while another goroutine
// uses the machine. A run that has just begun may miss it: it is called again.
func (m *Machine) Halt(on bool) {
	if !on {
		atomic.StoreUint32((*uint32)(&m.c.halt), 0)
		return
	}
	atomic.StoreUint32((*uint32)(&m.c.halt), 1)
	atomic.StoreUint64((*uint64)(&m.c.alarm), 0)
}

func (m *Machine) order(r *Run, to Ctx) {
	o := &m.c.order
	o.from = C.int32_t(r.From)
	o.to = C.int32_t(to)
	o.thread = C.int32_t(r.Thread)
	o.flags = C.uint32_t(r.Flags)
	o.allow = C.uint32_t(r.Allow)
	o.budget = C.uint64_t(r.Budget)
	o.stop_at = C.uint64_t(r.StopAt)
	o.skip_break = C.bool(r.SkipBreak)
	o.skip_fence = C.bool(r.SkipFence)
	o.reuse = C.bool(m.reuses(r))
	o.permit, o.user, o.port = C.bool(r.Permit), C.bool(r.User), C.uint32_t(r.Port)
	o.blind_lo, o.blind_len = C.uint64_t(r.Blind.Lo), C.uint64_t(r.Blind.Hi-r.Blind.Lo)
	o.nlinks, o.link_len = C.uint32_t(min(len(r.Links), MaxLinks)), C.uint32_t(r.LinkSize)
	for i, at := range r.Links[:o.nlinks] {
		o.links[i] = C.uint64_t(at)
	}
	o.stack_low, o.beneath_lo, o.beneath_len = C.uint64_t(r.StackLow), C.uint64_t(r.Beneath.Lo), C.uint64_t(r.Beneath.Hi-r.Beneath.Lo)
	o.own_lo, o.own_len = C.uint64_t(r.Own.Lo), C.uint64_t(r.Own.Hi-r.Own.Lo)
	o.set = C.uint32_t(r.Set)
	if r.Set != 0 {
		*(*Regs)(unsafe.Pointer(&o.regs)) = r.Regs
	}
}

func (m *Machine) fillStop(r *Run, to Ctx) {
	c := &m.c.result
	s := &m.stop
	s.Why = Why(c.why)
	s.Ctx = to
	s.PC = uint64(c.pc)
	s.Insns = uint64(c.insns)
	s.Half, s.Parts = c.parts != 0, uint32(c.parts)
	s.Learned, s.Jumped = bool(c.learned), bool(c.jumped)
	s.Accesses = unsafe.Slice((*trace.Access)(unsafe.Pointer(m.c.records)), m.c.nrecords)
	s.Fences = unsafe.Slice((*uint32)(unsafe.Pointer(&c.fences)), c.nfences)
	s.PCs = nil
	if r.Flags&TracePCs != 0 {
		s.PCs = m.tracedPCs()
	}
	s.Access = *(*trace.Access)(unsafe.Pointer(&c.access))
	s.Break = uint8(c.brk)
	s.Trap = Trap{bool(c.syscall), bool(c.sysenter), uint8(c.vector), uint8(c.len)}
	s.Fault = Fault{FaultKind(c.fault), uint64(c.fault_addr), uint32(c.fault_size)}
	s.Raised, s.ErrorCode = bool(c.raised), uint32(c.error_code)
	s.Device = DeviceAccess{uint64(c.device_addr), uint32(c.device_size), bool(c.device_write)}
	s.Port = uint32(c.port)
	s.Detail = staticString(c.detail)
	switch s.Why {
	case StopBreak, StopTrap, StopFault, StopPrivileged, StopUnmodelled, StopDevice:
		s.Regs = *(*Regs)(unsafe.Pointer(&c.regs))
		m.regsSet = true
	default:
		if m.regsSet {
			s.Regs = Regs{}
			m.regsSet = false
		}
	}
}

// staticString is a string constant of the C half, without a copy.
func staticString(p *C.char) string {
	if p == nil {
		return ""
	}
	return unsafe.String((*byte)(unsafe.Pointer(p)), clen((*byte)(unsafe.Pointer(p))))
}

// tracedPCs is the last TRACE_LEN program counters.
func (m *Machine) tracedPCs() []uint64 {
	n := int(m.c.ntrace)
	all := unsafe.Slice((*uint64)(unsafe.Pointer(m.c.trace)), n)
	return all[max(0, n-C.TRACE_LEN):]
}

func clen(p *byte) int {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return n
}

// Path is a hash of the runs with Hash since ResetPath.
func (m *Machine) Path() uint64 { return uint64(m.c.path) }

// ResetPath begins a new one.
func (m *Machine) ResetPath() { m.c.path = 0 }
