package scheduler

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// A sleep may end at any time, as the other threads may be slow. So a thread that sleeps can run. A
// timed wait runs out only when no other thread can. So a wait of 10 ms would never run out beside a
// sleep of a second. On a processor it does.
//
// So a sleep that is longer than some timed wait has several outcomes (the sleeps constants). A sleep
// that lasts blocks its thread. It is a timed wait itself: the one that is over first runs out first.
// Once a wait has run out, or two, the rest of the sleep may end at any time again.
//
// Limits: only the first two such sleeps of a thread count, and none of a thread that signals may come to.
// landgo learns the shortest timed wait and the longest sleep. If a sleep wasn't known to be long, all
// begins again.

// How long a sleep lasts: outcomes of the fall, behind all others.
const (
	sleepsAnyTime = iota // it ends at any time
	sleepsLong           // when no other thread can run, and no timed wait is over before
	sleepsOnce           // at any time, once a timed wait has run out
	sleepsTwice          // the same, once two have
	numSleeps
)

// mostLasting is how many sleeps of a thread may last.
const mostLasting = 2

// meets takes in a sleep that a thread stands before. It reports whether that may last.
func (n *Naps) meets(th *thread, p *kernel.Plan) bool {
	if ns := n.length(th, p); ns > n.learning.known.LongSleep && !n.in.Alone(th.ID) {
		n.learning.known.LongSleep = ns
	}
	return n.lasting(th, p) > 0
}

// length is how long a sleep would be that a thread stands before, in nanoseconds; 0 if it stands before none.
func (n *Naps) length(th *thread, p *kernel.Plan) uint64 {
	if k, ok := n.in.kernel.(napper); ok && p.Yield && p.Op.Kind == trace.OpSleep {
		if left, _, ok := k.Nap(th.ID); ok {
			return left + 1
		}
	}
	return 0
}

// learnsWait takes in a timed wait that a thread's step has ended in.
func (n *Naps) learnsWait(th *thread) {
	k, ok := n.in.kernel.(napper)
	if !ok || th.Stand != StandSleep && (th.Stand != StandOp || !n.learning.known.Timed) {
		return
	}
	_, when := n.in.nextWait()
	if now, last := k.Now(); last && when != noTime && when > now {
		f := &n.learning.known
		if left := when - now; f.ShortWait == 0 || left < f.ShortWait {
			f.ShortWait = left
			n.learning.finer = n.learning.finer || f.LongSleep >= left
		}
	}
}

// ofSleep is the Arg of an OpAdvance that ends a sleep.
const ofSleep = 1

// lasting is how many more outcomes a trap has because a sleep may last there. If a schedule is followed,
// each sleep may last: the schedule's run may have known more.
func (n *Naps) lasting(th *thread, p *kernel.Plan) uint32 {
	f, ns := &n.learning.known, n.length(th, p)
	followed := n.in.starts != nil
	learned := f.ShortWait != 0 && ns >= f.ShortWait && th.outlasts < mostLasting && !f.Signalled.Has(uint64(th.ID))
	if ns == 0 || th.napping || !followed && !learned || n.in.trusted(th) || n.in.Alone(th.ID) {
		return 0
	}
	return numSleeps - 1
}

// lasts has a thread fall asleep at a trap for so long.
func (n *Naps) lasts(th edit, tr *trace.Transition, how uint32) {
	k := n.in.kernel.(napper)
	left, at, _ := k.Nap(th.ID)
	until := k.FallAsleep(th.ID, left)
	n.sharing.takeTouched(th.thread, tr, th.Regs.RIP)
	n.falls(th, tr, left, at)
	th.lasts, th.until = uint8(how), until
	th.outlasts++
}

// sleepLasts reports whether a thread's sleep lasts still.
func (t *thread) sleepLasts() bool { return t.Exists && t.napping && t.lasts != sleepsAnyTime }

// nextToWake is the thread whose sleep lasts and is over first, by TID if several are.
func (s *present) nextToWake() (t trace.TID, when uint64) {
	t, when = trace.NoThread, noTime
	for i := range s.threads {
		if th := &s.threads[i]; th.sleepLasts() && th.until < when {
			t, when = th.ID, th.until
		}
	}
	return t, when
}

// wakes begins the step of a thread that stands at a trap. If its sleep lasts, no other thread can
// run, and its time is over.
func (n *Naps) wakes(th edit, tr *trace.Transition) {
	if th.sleepLasts() {
		th.lasts = sleepsAnyTime
		tr.Did(trace.Op{Kind: trace.OpAdvance, Arg: ofSleep, PC: th.Regs.RIP})
	}
}

// timePassed has sleeps last no longer if a timed wait has run out in a step.
func (n *Naps) timePassed(tr *trace.Transition) {
	for i := range tr.Ops {
		if tr.Ops[i].Kind != trace.OpAdvance {
			continue
		}
		for i := range n.in.threads {
			if th := &n.in.threads[i]; th.sleepLasts() && th.lasts >= sleepsOnce {
				e := n.in.edit(th.ID)
				if e.lasts--; e.lasts == sleepsLong {
					e.lasts = sleepsAnyTime
				}
			}
		}
		return
	}
}
