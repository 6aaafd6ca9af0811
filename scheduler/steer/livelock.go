package steer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler"
	"landgo/scheduler/known"
)

// A kernel's livelock: threads that give the processor up to one another, or to
// themselves, for ever, and without effect. It is claimed where
//
//   - each thread that can run has gone round (round.go), and no thread sleeps;
//   - vainTicks ticks then come, one with each round. None changes that, or brings
//     the processor to a thread that is ready and can't run because of its priority.
//     These are tried, and taken back: the run that is shown ends where nothing new
//     comes;
//   - all memory is then as it was before their last rounds, but for dead stack and for
//     bytes that they haven't read there. Those are ones that ticks change, and stacks,
//     on which handlers leave something. Not even the scheduler's lists are left out. A
//     thread that looks at a clock, in whatever way, has read what ticks have changed.
//
// Then each goes on as it did, in every round: what it does follows from its registers and what
// it reads, and all of it is as it was. An unread change by ticks is a count of them. Not
// detected: a counter on the stack updated only after ticks. Not detected either, as for a
// deadlock (Stuck): a tick that, after this many without effect, affects threads that don't sleep
// (a watchdog). A waiting thread is woken by threads or, from a sleep, by time.
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

// livelocks finds threads that run for ever to no effect.
type livelocks struct {
	in     *situation
	core   core
	known  *known.Facts
	step   *stepping
	rounds *rounds
	take   func(trace.TID, trace.Choice) (*trace.Transition, error) // a step
	tryOut func(func())
	waitOf func(*thread) scheduler.Wait
}

// countVain counts the ticks that come because all threads have gone round, until one
// does something in a round, or gives the processor up elsewhere.
func (v *livelocks) countVain() {
	if v.step.due {
		v.in.machine.Put(&v.in.vain, v.in.vain.Get()+1)
	}
}

// livelock is the claim on the state before the step under way; nil: none.
func (v *livelocks) livelock(next *thread) *scheduler.Failure {
	off := v.rounds.offRounds()
	if n := v.in.vain.Get(); !off && (!v.step.due || n < firstVain || n&(n-1) != 0 || v.step.trying || v.in.machine.ClockReads() != 0) {
		return nil
	}
	turning := map[trace.TID]bool{}
	for _, t := range v.step.could {
		turning[t] = true
	}
	f := &scheduler.Failure{Kind: trace.Livelock}
	for i := range v.in.threads {
		th := &v.in.threads[i]
		if !v.in.threads[i].Exists || !th.Live() || th.own.Idle {
			continue
		}
		switch {
		case th.own.State == ownSleeping && !off:
			return nil
		case !turning[th.ID] && !th.own.Ended:
			f.Waits = append(f.Waits, v.waitOf(th))
		}
	}
	if !off && (!v.comesRound(next, turning) || !v.goesOn()) {
		return nil
	}
	var names []string
	for i := range v.in.threads {
		if t := v.in.threads[i].ID; turning[t] {
			if len(names) == 0 {
				f.Thread, f.PC = t, v.in.pc(t)
			}
			names = append(names, v.core.Name(t))
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
func (v *livelocks) goesOn() (yes bool) {
	could, due, stop, finer := append([]trace.TID(nil), v.step.could...), v.step.due, v.in.stopIf, false
	v.step.trying, v.in.stopIf = true, nil // an answer can't be left out
	v.tryOut(func() {
		for until := v.in.vain.Get() + vainTicks; v.in.vain.Get() < until; {
			t := trace.TID(v.in.running.Get())
			tr, err := v.take(t, 0)
			if errors.Is(err, trace.ErrFiner) {
				finer = true
			} else if err != nil {
				return // the error shows when it is done for good
			}
			if tr.End != trace.EndPoint || v.in.vain.Get() == 0 || !slices.Contains(v.step.could, trace.TID(v.in.running.Get())) {
				return
			}
		}
		turning := map[trace.TID]bool{}
		for _, t := range v.step.could {
			turning[t] = true
		}
		yes = slices.Equal(v.step.could, could) && v.comesRound(&v.in.threads[v.in.running.Get()], turning)
	})
	v.step.trying, v.in.stopIf = false, stop
	if finer {
		v.core.Refine()
	}
	v.step.could, v.step.due = could, due
	v.step.answers.forget()
	return yes
}

// comesRound reports whether everything that was read in these threads' last rounds,
// and the rounds that lie between, has the value now that it had before.
func (v *livelocks) comesRound(next *thread, turning map[trace.TID]bool) bool {
	read := map[uint64]uint8{}
	from := len(v.in.steps) - 1 // up to there the accesses are in read; the step under way has none
	reads := func(pa uint64) bool { return read[pa>>3]&(1<<(pa&7)) != 0 }
	readFrom := func(b *stepInfo) {
		for ; from > 0 && &v.in.steps[from] != b; from-- {
			for _, a := range v.in.steps[from-1].tr.Accesses {
				if !a.IsWrite() || a.Flags&trace.RMW != 0 {
					granules(&a, func(g uint64, bytes uint8) { read[g] |= bytes })
				}
			}
		}
	}
	// The unread bytes among those that ticks change, and of stacks, on which
	// handlers leave something where a frame has a gap.
	dead, stacks := v.in.dead(next), []emu.Range{}
	for t := range turning {
		stacks = append(stacks, v.in.stackPage(&v.in.threads[t]))
	}
	unread := func(pa uint64) bool {
		if reads(pa) {
			return false
		}
		owner, _ := v.in.machine.Sharing(pa)
		return owner == handlerThread || v.known.Ticked[pa>>3].Writes != 0 || slices.ContainsFunc(stacks, func(r emu.Range) bool { return r.Lo <= pa && pa < r.Hi })
	}
	asBefore := func(b *stepInfo) bool {
		return v.in.machine.Unchanged(v.in.since(b), func(pa uint64) bool { return dead(pa) || unread(pa) })
	}
	last := len(v.in.steps) - 1
	for i := last - 1; i >= 0 && last-i <= maxRound; i-- {
		b := &v.in.steps[i]
		readFrom(b)
		whole := b.ticks != v.in.ticks.Get() && b.ports == v.in.ports.Get()
		if v.rounds.alone() {
			whole = whole && b.turn && b.tr.Thread == next.ID && v.in.machine.SameCPU(b.ctx, v.in.steps[last].ctx)
		} else {
			for t := range turning {
				whole = whole && b.journal <= v.in.threads[t].own.LapBefore
			}
		}
		if whole && asBefore(b) {
			return true
		}
	}
	return false
}
