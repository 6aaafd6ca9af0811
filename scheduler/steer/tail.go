package steer

import (
	"landgo/internal/trace"
	"landgo/scheduler/known"
)

// A thread that gave the processor up itself comes back with interrupts off, and runs its tail
// until they are on. A tail is *heavy* if it does what other threads can observe: then it makes a
// difference whether it was run (Kernel). It isn't meant that it pops what it pushed before it
// left. These are return addresses and saved registers: memory that threads share only because a
// thread's creator wrote the first of them.
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

// tails are the code that threads run after they gave the processor up, and what it has in
// common with ticks.
type tails struct {
	in    *situation
	core  core
	known *known.Facts
	step  *stepping
	proc  *processor
}

// isHeavy reports whether tails of a kind may do what other threads can observe. Those of threads
// that waited look at what they waited for.
func (f *tails) isHeavy(k tailKind) bool { return k == tailOfWait || f.known.HeavyTails[k] }

// pending reports whether a ready thread stands before a tail that is taken for
// one that others can't tell.
func (f *tails) pending(th *thread) bool {
	return th.own.Tail && th.own.State == ownReady && !th.own.Idle && th.Live() && !f.isHeavy(th.own.Kind)
}

// inTail notes that a thread does something that other threads can observe, in its tail if it is
// in one.
func (f *tails) inTail(th *thread) {
	if !f.in.on.Get() && f.pending(th) {
		f.makeHeavy(th.own.Kind)
	}
}

func (f *tails) makeHeavy(k tailKind) {
	f.known.HeavyTails[k] = true
	f.core.Refine()
}

// tailDid looks at accesses of a thread that may be in its tail, or meddle with
// another's.
func (f *tails) tailDid(th *thread, as []trace.Access) {
	mine := !f.in.on.Get() && f.pending(th)
	for i := range as {
		a := &as[i]
		if mine {
			if !f.in.ofFrame(a) {
				f.inTail(th)
			} else if th.own.Kind == tailOfNew {
				granules(a, func(g uint64, _ uint8) { f.known.TailWords[known.TailWord{Thread: th.ID, At: g}] = true })
			}
		}
		for k := range f.in.threads {
			if v := &f.in.threads[k]; f.in.threads[k].Exists && v != th && f.pending(v) && f.meddles(a, v) {
				f.makeHeavy(v.own.Kind)
			}
		}
	}
}

// made notes that what a transition has from this many accesses and operations on is a thread's,
// whose tail it was.
func (f *tails) made(th *thread, tr *trace.Transition, accesses, ops int) {
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
func (f *tails) meddles(a *trace.Access, v *thread) (yes bool) {
	if v.own.Kind == tailOfNew {
		granules(a, func(g uint64, _ uint8) { yes = yes || f.known.TailWords[known.TailWord{Thread: v.ID, At: g}] })
		return yes
	}
	sp := v.own.Stack
	return a.Addr+uint64(a.Size) > sp-frameRoom && a.Addr < sp+frameRoom && (a.IsWrite() || a.Addr < sp)
}

// ofFrame reports whether an access was made by an instruction that pushes or
// pops.
func (k *reading) ofFrame(a *trace.Access) bool {
	code := k.code(a.PC)
	if k.wordSize == 8 && code[0]&0xf0 == 0x40 {
		code = code[1:] // REX
	}
	switch c := code[0]; c {
	case 0x68, 0x6a, 0xc2, 0xc3, 0xc9, 0xe8: // push of a constant, ret, leave, call
		return true
	default:
		return c >= 0x50 && c <= 0x5f // push and pop of a register
	}
}
