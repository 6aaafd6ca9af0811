package scheduler

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
)

// Timed waits, and sleeps in the kernel: which are over, and when.

// napper is a kernel with sleeps that a signal ends.
type napper interface {
	// Nap says of the sleep at which a thread stands whether time passes in it, how
	// much is left when a signal ends it, and where that is written.
	Nap(t trace.TID) (left, at uint64, ok bool)
	// EndNap sets the registers as such a call leaves them that a signal has ended. rest has the
	// bytes that it writes where the time left goes; empty: nothing.
	EndNap(left, at uint64, regs *emu.Regs) (rest []byte)
	// Now is the time, in nanoseconds. last: a timed wait runs out only where no other thread can run.
	Now() (ns uint64, last bool)
	// FallAsleep, after Nap, says that the sleep has begun now, and when it is over.
	FallAsleep(t trace.TID, left uint64) (until uint64)
}

// nextWait is the thread whose timed wait runs out first, ties by TID, and when.
func (s *present) nextWait() (t trace.TID, when uint64) {
	t, when = trace.NoThread, noTime
	first := func(o trace.TID, at uint64) {
		if at < when || at == when && o < t {
			t, when = o, at
		}
	}
	s.lib.Deadlines(first)
	s.kernel.Deadlines(first)
	return t, when
}

// overBy are the threads but t whose timed waits are over where a time has come, by TID.
func (s *present) overBy(when uint64, t trace.TID) (list []trace.TID) {
	if s.cfg.OneByOne {
		return nil
	}
	if k, ok := s.kernel.(napper); ok {
		now, _ := k.Now()
		when = max(when, now)
	}
	also := func(o trace.TID, at uint64) {
		if at <= when && o != t {
			list = append(list, o)
		}
	}
	s.lib.Deadlines(also)
	s.kernel.Deadlines(also)
	slices.Sort(list)
	return list
}

// The outcomes of a step in which a wait runs out, where others are over by then.
const (
	onlyFirst trace.Choice = iota
	allOver
	firstTwo
)

// RunOut has those of the others' waits run out that an outcome says, before the time passes at which
// t's runs out.
func (s *present) RunOut(t trace.TID, when uint64, tr *trace.Transition, c trace.Choice) {
	if c == onlyFirst {
		return
	}
	also := s.overBy(when, t)
	if c == firstTwo {
		also = also[:1]
	}
	for _, o := range also {
		if s.threads[o].Stand != StandSleep {
			s.lib.RunOut(o, tr)
			continue
		}
		s.kernel.Expire(o)
		s.wakeFromKernel(o)
		tr.Wakes = append(tr.Wakes, o)
	}
}

// noTime is the deadline of waits that don't run out.
const noTime = ^uint64(0)
