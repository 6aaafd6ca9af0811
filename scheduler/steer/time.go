package steer

import (
	"math"
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler/known"
)

// Sleep. Ticks can come as often as the search likes. But a sleep must not end before one
// that ends earlier by the kernel's own clock and whose thread then never got to execute an
// instruction. No timer is so fast, and a kernel's tests of its clock take that for
// granted. So of the threads that sleep those can run that wake first when nothing but time
// passes. Only the kernel knows which they are; it is found out by letting time pass, and
// taking that back.
//
// That takes as many ticks as a sleep has left, and is asked in every state. But when a
// kernel wakes a thread is settled, for nearly all kernels, when the thread goes to
// sleep: at a tick of the clock, whatever the others do. So the tick is foretold once
// for each sleep (ownThread.wakes), and those wake first that wake at the first tick.
// Each wake-up by a tick that happens afterwards is held against what was foretold. The
// first that comes at another tick ends this for good (unsteady): the search starts
// again, and asks in every state. A wrong answer can't go unnoticed. In some execution
// that the search makes, a thread that is let wake too early wakes later than foretold,
// or with another that was foretold for later.

// maxIdle is how many ticks may pass until a thread wakes.
const maxIdle = 20_000

const (
	wakesUnknown = 0
	wakesNever   = math.MaxUint64
)

// sleepers are the threads that sleep, and which of them wakes first.
type sleepers struct {
	in      *situation
	core    core
	known   *known.Facts
	step    *stepping
	beliefs *beliefs
	onward  func(*trace.Transition) (ticked, done bool, err error)
	tryOut  func(func())
}

// wakesFirst reports whether a thread that sleeps is one of those.
func (z *sleepers) wakesFirst(t trace.TID) bool {
	if z.step.wakers == nil {
		z.step.wakers = z.findWakers()
	}
	return slices.Contains(z.step.wakers, t)
}

func (k *path) isAsleep(th *thread) bool {
	return k.threads[th.ID].Exists && th.Live() && th.own.State == ownSleeping
}

// findWakers names those that wake first: none, but not nil, if it takes too long.
func (z *sleepers) findWakers() []trace.TID {
	if z.known.Unsteady || z.in.profile != nil && !z.in.timed() { // at which tick such a kernel wakes a thread isn't seen
		return z.probeTime(false)
	}
	first := uint64(wakesNever)
	for i := range z.in.threads {
		th := &z.in.threads[i]
		if !z.in.isAsleep(th) {
			continue
		}
		if th.own.Wakes == wakesUnknown {
			z.probeTime(true)
		}
		first = min(first, th.own.Wakes)
	}
	wakers := []trace.TID{}
	for i := range z.in.threads {
		if th := &z.in.threads[i]; z.in.isAsleep(th) && th.own.Wakes == first && first != wakesNever {
			wakers = append(wakers, th.ID)
		}
	}
	return wakers
}

// probeTime lets time pass, and takes it back: until a thread wakes, or, to
// foretell, until all have whose wake-up isn't foretold.
func (z *sleepers) probeTime(foretell bool) []trace.TID {
	var asleep []trace.TID
	for i := range z.in.threads {
		if th := &z.in.threads[i]; z.in.isAsleep(th) && (!foretell || th.own.Wakes == wakesUnknown) {
			asleep = append(asleep, th.ID)
		}
	}
	woken := map[trace.TID]uint64{}
	z.step.probing = true
	z.tryOut(func() {
		broken := z.passTime(func() bool {
			for _, t := range asleep {
				if _, known := woken[t]; !known && z.in.threads[t].own.State != ownSleeping {
					woken[t] = z.in.ticks.Get()
				}
			}
			return len(woken) == len(asleep) || !foretell && len(woken) > 0
		})
		for _, t := range asleep {
			if _, known := woken[t]; broken && !known {
				woken[t] = z.in.ticks.Get() // it can run, and then what is wrong comes up
			}
		}
	})
	z.step.probing = false
	wakers := []trace.TID{}
	for _, t := range asleep {
		at, ok := woken[t]
		if ok {
			wakers = append(wakers, t)
		} else {
			at = wakesNever
		}
		if foretell {
			z.core.edit(t).own.Wakes = at
		}
	}
	return wakers
}

// passTime lets ticks pass until enough does. It reports whether something else
// came up than that: the end of the guest, or what landgo doesn't model.
func (z *sleepers) passTime(enough func() bool) (broken bool) {
	tr := &trace.Transition{Thread: trace.TID(z.in.running.Get())}
	for range maxIdle {
		_, done, err := z.onward(tr)
		if err == nil && !done {
			err = z.beliefs.look(tr)
		}
		if done || err != nil {
			return done || !isUnreached(err)
		}
		if enough() {
			return false
		}
	}
	return false
}

// onward lets the processor go on where no thread is to be chosen: to the end of a
// handler or of a section without interrupts, else by a tick.
func (tk *ticker) onward(tr *trace.Transition) (ticked, done bool, err error) {
	r := &tk.in.threads[tk.in.running.Get()]
	switch {
	case !tk.in.on.Get() && r.own.Interrupted:
		done, err = tk.land(r, tr)
	case !tk.in.on.Get():
		done, err = tk.tail(r, tr)
	default:
		ticked = true
		done, err = tk.tick(r, tr)
	}
	return ticked, done, err
}

// woke: a tick, or a consequence of one, has woken a thread.
func (b *beliefs) woke(th *thread) {
	foretold := th.own.Wakes
	b.core.edit(th.ID).own.Wakes = wakesUnknown
	if !b.step.probing && !b.known.Unsteady && foretold != wakesUnknown && foretold != b.in.ticks.Get() {
		b.known.Unsteady = true
		b.core.Refine()
	}
}
