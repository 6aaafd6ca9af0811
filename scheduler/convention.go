package scheduler

import (
	"landgo/emu"
	"landgo/image"
)

// ret makes a trusted function return v to its caller.
func (s *System) ret(th *thread, v uint64) {
	if s.roles[th.regs.RIP].C11 {
		v = c11Result(v)
	}
	th.insns++ // landgo carried a function out: schedules name the states on both sides
	th.regs.RIP = s.machine.Read64(th.regs.RSP)
	th.regs.RSP += 8
	th.regs.RAX = v
	th.set |= emu.SetRAX | emu.SetRIP | emu.SetRSP
	th.stand = standRun
}

// c11Result translates an errno value into what C11's thread functions return.
func c11Result(v uint64) uint64 {
	switch v {
	case 0:
		return image.ThrdSuccess
	case ebusy:
		return image.ThrdBusy
	case etimedout:
		return image.ThrdTimedOut
	}
	return image.ThrdError
}

// callSite is the address of the call instruction's end: where a thread at a
// function's entry was called from.
func (s *System) callSite(th *thread) uint64 { return s.machine.Read64(th.regs.RSP) }

// timespec reads a struct timespec as nanoseconds.
func (s *System) timespec(p uint64) uint64 {
	return s.machine.Read64(p)*1e9 + s.machine.Read64(p+8)
}

// str reads a C string of at most 512 bytes.
func (s *System) str(p uint64) string {
	var b []byte
	for len(b) < 512 {
		c := s.machine.Read8(p + uint64(len(b)))
		if c == 0 {
			break
		}
		b = append(b, c)
	}
	return string(b)
}
