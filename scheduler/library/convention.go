package library

import (
	"landgo/internal/abi"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// takeArgs reads the integer arguments of the function at whose entry a thread
// stands: in registers (System V, x86-64) or on the stack (cdecl, i386). Where
// a profile says which of them are its role's arguments (image.Bound.Args), these come
// first.
func (l *guest) takeArgs(th edit, places []int) {
	r := &th.Regs
	if l.wordSize == 8 {
		th.args = [4]uint64{r.RDI, r.RSI, r.RDX, r.RCX}
	} else {
		for i := range th.args {
			th.args[i] = l.core.Word(r.RSP + 4*uint64(i+1))
		}
	}
	if places == nil {
		return
	}
	all := th.args
	th.args = [4]uint64{}
	for i, n := range places {
		th.args[i] = all[n-1]
	}
}

// vararg is the n-th argument (from 0) of a function with any number of them,
// at whose entry a thread stands.
func (l *guest) vararg(th *thread, n int) uint64 {
	r := &th.Regs
	if l.wordSize == 4 {
		return l.core.Word(r.RSP + 4*uint64(n+1))
	}
	if in := [...]uint64{r.RDI, r.RSI, r.RDX, r.RCX, r.R8, r.R9}; n < len(in) {
		return in[n]
	}
	return l.core.Word(r.RSP + 8*uint64(n-5))
}

// ret makes a trusted function return v to its caller.
func (l *guest) ret(th edit, v uint64) {
	if l.roles[th.Regs.RIP].C11 {
		v = c11Result(v)
	}
	th.Insns++ // landgo carried a function out: schedules name the states on both sides
	th.Regs.RIP = l.core.Word(th.Regs.RSP)
	th.Regs.RSP += l.wordSize
	th.Regs.RAX = v
	th.Set |= trace.RAX | trace.RIP | trace.RSP
	th.Stand = scheduler.StandRun
}

// c11Result translates an errno value into what C11's thread functions return.
func c11Result(v uint64) uint64 {
	switch v {
	case 0:
		return profile.ThrdSuccess
	case abi.EBUSY:
		return profile.ThrdBusy
	case abi.ETIMEDOUT:
		return profile.ThrdTimedOut
	}
	return profile.ThrdError
}

// callSite is the address of the call instruction's end: where a thread at a
// function's entry was called from.
func (l *guest) callSite(th *thread) uint64 { return l.core.Word(th.Regs.RSP) }

// str reads a C string of at most 512 bytes.
func (l *guest) str(p uint64) string {
	var b []byte
	for len(b) < 512 {
		c := l.machine.Read8(p + uint64(len(b)))
		if c == 0 {
			break
		}
		b = append(b, c)
	}
	return string(b)
}
