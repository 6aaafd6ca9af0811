package steer

import (
	"landgo/internal/trace"
	"landgo/scheduler/known"
)

// A thread that gave the processor up itself comes back with interrupts off, and
// runs its tail until they are on. A tail is *heavy* if it does what others can
// tell: then it makes a difference whether it was run (Kernel). What isn't meant is that
// it pops what it pushed before it left: return addresses and saved registers,
// which are memory that threads share only because a thread's creator wrote the
// first of them.
//
// No other thread touches these words, unless by a wild pointer. That would be an
// access in conflict with the tail's, so some execution has it before the tail is
// run, and there it is noticed (meddles).

// tailKind is why a thread has a tail.
type tailKind uint8

const (
	tailOfNew   tailKind = iota // it hasn't run yet
	tailOfYield                 // it gave the processor up, and stayed ready
	tailOfWait                  // it waited
	numTailKinds
)

var _ = [numTailKinds]bool(known.Kernel{}.HeavyTails)

// isHeavy reports whether tails of a kind may do what others can tell. Those of
// threads that waited look at what they waited for.
func (s *Kernel) isHeavy(k tailKind) bool { return k == tailOfWait || s.known.HeavyTails[k] }

// pending reports whether a ready thread stands before a tail that is taken for
// one that others can't tell.
func (s *Kernel) pending(th *thread) bool {
	return th.own.Tail && th.own.State == ownReady && !th.own.Idle && th.Live() && !s.isHeavy(th.own.Kind)
}

// inTail notes that a thread does something that others can tell, in its tail if
// it is in one.
func (s *Kernel) inTail(th *thread) {
	if !s.on.Get() && s.pending(th) {
		s.makeHeavy(th.own.Kind)
	}
}

func (s *Kernel) makeHeavy(k tailKind) {
	s.known.HeavyTails[k] = true
	s.Refine()
}

// tailDid looks at accesses of a thread that may be in its tail, or meddle with
// another's.
func (s *Kernel) tailDid(th *thread, as []trace.Access) {
	mine := !s.on.Get() && s.pending(th)
	for i := range as {
		a := &as[i]
		if mine {
			if !s.ofFrame(a) {
				s.inTail(th)
			} else if th.own.Kind == tailOfNew {
				granules(a, func(g uint64, _ uint8) { s.known.TailWords[known.TailWord{Thread: th.ID, At: g}] = true })
			}
		}
		for k := range s.threads {
			if v := &s.threads[k]; s.threads[k].Exists && v != th && s.pending(v) && s.meddles(a, v) {
				s.makeHeavy(v.own.Kind)
			}
		}
	}
}

// made notes that what a transition has from so many accesses and operations on is a
// thread's, whose tail it was.
func (s *Kernel) made(th *thread, tr *trace.Transition, accesses, ops int) {
	if th.ID == tr.Thread || th.own.Idle || len(tr.Accesses) == accesses {
		return
	}
	tr.Tails = append(tr.Tails, trace.Tail{Thread: th.ID, Accesses: [2]int{accesses, len(tr.Accesses)}, Ops: [2]int{ops, len(tr.Ops)}})
}

// frameRoom is how far from a thread's stack pointer what its tail pops and
// pushes may be.
const frameRoom = 1024

// meddles reports whether an access is to what the tail of another thread pops or
// pushes. Where the stack of one that hasn't run will be isn't known; but where
// it was in other executions.
func (s *Kernel) meddles(a *trace.Access, v *thread) (yes bool) {
	if v.own.Kind == tailOfNew {
		granules(a, func(g uint64, _ uint8) { yes = yes || s.known.TailWords[known.TailWord{Thread: v.ID, At: g}] })
		return yes
	}
	sp := v.own.Stack
	return a.Addr+uint64(a.Size) > sp-frameRoom && a.Addr < sp+frameRoom && (a.IsWrite() || a.Addr < sp)
}

// ofFrame reports whether an access was made by an instruction that pushes or
// pops.
func (s *reading) ofFrame(a *trace.Access) bool {
	code := s.code(a.PC)
	if s.wordSize == 8 && code[0]&0xf0 == 0x40 {
		code = code[1:] // REX
	}
	switch c := code[0]; c {
	case 0x68, 0x6a, 0xc2, 0xc3, 0xc9, 0xe8: // push of a constant, ret, leave, call
		return true
	default:
		return c >= 0x50 && c <= 0x5f // push and pop of a register
	}
}
