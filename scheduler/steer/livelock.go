package steer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// A kernel's livelock: threads that give the processor up to one another, or to
// themselves, for ever, and nothing comes of it. It is claimed where
//
//   - each thread that can run has gone round (round.go), and no thread sleeps;
//   - vainTicks ticks are let come then, one with each round, and none changes that,
//     or brings the processor to a thread that is ready and can't run because of its
//     priority. These are tried, and taken back: the run that is shown ends where
//     nothing new comes;
//   - all memory is then as it was before their last rounds, but for dead stack, and
//     for what they haven't read there of what ticks change, and of the stacks, on which
//     handlers leave something. Not even the scheduler's lists are left out. A thread
//     that looks at a clock, in whatever way, has read what ticks have changed.
//
// Then each goes on as it did, in every round: what it does follows from its
// registers and what it reads, and all of it is as it was. An unread change by
// ticks is a count of them. Not detected: a counter on the stack updated only
// after ticks. Not detected either, as for a deadlock (Stuck): a tick that,
// after so many without effect, affects threads that don't sleep (a watchdog).
// A waiting thread is woken by threads or, from a sleep, by time.
//
// Where a thread stores something in each turn, be it back and forth, none is claimed,
// nor where one asks a device; those run until the budget ends. So does one
// that yields and is chosen at once, without a switch of stacks.

// vainTicks is how many ticks change nothing before a livelock is claimed. It is
// tried after firstVain of them, and when they are twice as many again.
const (
	vainTicks = 1000
	firstVain = 8
)

// countVain counts the ticks that come because all threads have gone round, until one
// does something in a round, or gives the processor up elsewhere.
func (s *Kernel) countVain() {
	if s.due {
		s.machine.Put(&s.vain, s.vain.Get()+1)
	}
}

// livelock is what is claimed of the state before the step under way; nil: nothing.
func (s *Kernel) livelock(next *thread) *scheduler.Failure {
	off := s.offRounds()
	if n := s.vain.Get(); !off && (!s.due || n < firstVain || n&(n-1) != 0 || s.trying || s.machine.ClockReads() != 0) {
		return nil
	}
	turning := map[trace.TID]bool{}
	for _, t := range s.could {
		turning[t] = true
	}
	f := &scheduler.Failure{Kind: trace.Livelock}
	for i := range s.threads {
		th := &s.threads[i]
		if !s.threads[i].Exists || !th.Live() || th.own.Idle {
			continue
		}
		switch {
		case th.own.State == ownSleeping && !off:
			return nil
		case !turning[th.ID] && !th.own.Ended:
			f.Waits = append(f.Waits, s.waitOf(th))
		}
	}
	if !off && (!s.comesRound(next, turning) || !s.goesOn()) {
		return nil
	}
	var names []string
	for i := range s.threads {
		if t := s.threads[i].ID; turning[t] {
			if len(names) == 0 {
				f.Thread, f.PC = t, s.PC(t)
			}
			names = append(names, s.Name(t))
		}
	}
	what, why := "the kernel goes round for ever", fmt.Sprintf(", and %d ticks have changed nothing that is read there", vainTicks)
	if off {
		what, why = offText, ""
	}
	subject := fmt.Sprintf("thread %s gives", names[0])
	if len(names) > 1 {
		subject = fmt.Sprintf("threads %s give", strings.Join(names, ", "))
	}
	f.Message = fmt.Sprintf("%s: %s the processor up again and again%s", what, subject, why)
	return f
}

// goesOn lets the kernel go on by its own choices, and takes that back. It reports
// whether vainTicks ticks change nothing.
func (s *Kernel) goesOn() (yes bool) {
	could, due, stop, finer := append([]trace.TID(nil), s.could...), s.due, s.stopIf, false
	s.trying, s.stopIf = true, nil // an answer can't be left out
	s.tryOut(func() {
		for until := s.vain.Get() + vainTicks; s.vain.Get() < until; {
			t := trace.TID(s.running.Get())
			tr, err := s.Step(t, 0)
			if errors.Is(err, trace.ErrFiner) {
				finer = true
			} else if err != nil {
				return // what is wrong shows when it is done for good
			}
			if tr.End != trace.EndPoint || s.vain.Get() == 0 || !slices.Contains(s.could, trace.TID(s.running.Get())) {
				return
			}
		}
		turning := map[trace.TID]bool{}
		for _, t := range s.could {
			turning[t] = true
		}
		yes = slices.Equal(s.could, could) && s.comesRound(&s.threads[s.running.Get()], turning)
	})
	s.trying, s.stopIf = false, stop
	if finer {
		s.Refine()
	}
	s.could, s.due, s.tried, s.wakers = could, due, nil, nil
	return yes
}

// comesRound reports whether everything that was read in these threads' last rounds,
// and the rounds that lie between, has the value now that it had before.
func (s *Kernel) comesRound(next *thread, turning map[trace.TID]bool) bool {
	read := map[uint64]uint8{}
	from := len(s.steps) - 1 // up to there the accesses are in read; the step under way has none
	reads := func(pa uint64) bool { return read[pa>>3]&(1<<(pa&7)) != 0 }
	readFrom := func(b *stepInfo) {
		for ; from > 0 && &s.steps[from] != b; from-- {
			for _, a := range s.steps[from-1].tr.Accesses {
				if !a.IsWrite() || a.Flags&trace.RMW != 0 {
					granules(&a, func(g uint64, bytes uint8) { read[g] |= bytes })
				}
			}
		}
	}
	// What is unread of what ticks change, and of stacks, on which handlers leave
	// something where a frame has a gap.
	dead, stacks := s.dead(next), []emu.Range{}
	for t := range turning {
		stacks = append(stacks, s.stackPage(&s.threads[t]))
	}
	unread := func(pa uint64) bool {
		if reads(pa) {
			return false
		}
		owner, _ := s.machine.Sharing(pa)
		return owner == handlerThread || s.known.Ticked[pa>>3].Writes != 0 || slices.ContainsFunc(stacks, func(r emu.Range) bool { return r.Lo <= pa && pa < r.Hi })
	}
	asBefore := func(b *stepInfo) bool {
		return s.machine.Unchanged(s.since(b), func(pa uint64) bool { return dead(pa) || unread(pa) })
	}
	last := len(s.steps) - 1
	for i := last - 1; i >= 0 && last-i <= maxRound; i-- {
		b := &s.steps[i]
		readFrom(b)
		whole := b.ticks != s.ticks.Get() && b.ports == s.ports.Get()
		if s.alone() {
			whole = whole && b.turn && b.tr.Thread == next.ID && s.machine.SameCPU(b.ctx, s.steps[last].ctx) == 0
		} else {
			for t := range turning {
				whole = whole && b.journal <= s.threads[t].own.LapBefore
			}
		}
		if whole && asBefore(b) {
			return true
		}
	}
	return false
}
