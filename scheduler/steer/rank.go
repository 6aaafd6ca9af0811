package steer

import (
	"fmt"
	"math"

	"landgo/internal/trace"
	"landgo/scheduler/known"
)

// A kernel that names priorities says that no tick takes the processor to a thread
// while a better one is ready. That is tried, not believed: what doesn't hold would
// keep whole orders from being run, and a verdict would say nothing of them. Once a
// tick was seen to choose a lesser thread, landgo ignores priorities from then on
// (unranked). All ready threads can run, as far as ticks reach them, and the search
// starts again.
//
// It is seen if it ever happens within rankTicks ticks of a state from which a step was taken. Ticks
// that are delivered to bring the processor somewhere count too. Eight ticks take ten times as long
// as a step that accesses memory. A search that claims nothing tries a state only where the kernel has
// something new to choose by since the execution's last try. That is a tick, another thread that
// runs, or a thread's state or priority.

// rankTicks is how many ticks are tried: more than the slice of time of most
// kernels.
const rankTicks = 8

// ranks compares the threads' priorities with what ticks do.
type ranks struct {
	in    *situation
	core  core
	known *known.Facts
	best  int64
	hunts bool // the search claims nothing (Hunt)
}

// outranks notes that a tick has given the processor to thread to. The best priority
// counts as it was when the tick took the processor from a thread. A priority that is
// read may follow from which thread runs, and an idle thread may be the scheduler, run
// in between.
func (g *ranks) outranks(to *thread) {
	if to.own.Idle {
		return
	}
	if !g.known.Unranked && to.own.Priority < g.best {
		g.known.Unranked = true
		g.core.Refine()
	}
	g.best = math.MinInt64
}

// rankAtTick notes the best priority when a tick reaches thread r.
func (g *ranks) rankAtTick(r *thread) {
	if !r.own.Idle {
		g.best = math.MinInt64
	}
	g.best = max(g.best, g.bestPriority())
}

// ranked reports whether ready threads differ in priority.
func (g *ranks) ranked() bool {
	if g.known.Unranked {
		return false
	}
	best := g.bestPriority()
	for i := range g.in.threads {
		if th := &g.in.threads[i]; g.in.threads[i].Exists && th.Live() && !th.own.Idle && th.own.State == ownReady && th.own.Priority != best {
			return true
		}
	}
	return false
}

// Hunt says that the search claims nothing, so that ranks are tried less often.
func (k *Kernel) Hunt() { k.ranks.hunts = true }

// fresh reports whether ranks weren't tried yet with what a kernel can choose by now, and notes that
// they are.
func (g *ranks) fresh() bool {
	h := trace.NewHash()
	h.Words(g.in.running.Get(), g.in.ticks.Get())
	for i := range g.in.threads {
		if th := &g.in.threads[i]; th.Exists && th.Live() {
			h.Words(uint64(i), uint64(th.own.State), uint64(th.own.Priority))
		}
	}
	now := h.Sum()[0]
	if now == g.in.compared.Get() {
		return false
	}
	g.in.machine.Put(&g.in.compared, now)
	return true
}

// Found lists unexpected facts about the kernel's scheduler.
func (k *Kernel) Found() (out []string) {
	if k.known.Probes {
		out = append(out, "a thread was ready, and no tick took the processor to it: it couldn't run there")
	}
	if k.known.Oversleeps {
		out = append(out, fmt.Sprintf("a thread sleeps for more than %d ticks, and no search waits for so many: it doesn't wake", maxSleep))
	}
	if k.profile != nil && len(k.profile.Input) > 0 {
		out = append(out, "no key is ever pressed: an execution ends when all remaining threads wait for input")
	}
	if k.known.Unranked {
		out = append(out, "ticks took the processor to threads while better ones were ready: landgo ignores priorities")
	}
	return out
}

// tryRanks lets ticks come, looks which threads they choose, and takes that back.
func (k *Kernel) tryRanks() {
	k.probing = true
	k.tryOut(func() {
		tr := &trace.Transition{Thread: trace.TID(k.running.Get())}
		for ticks := 0; ticks < rankTicks && !k.known.Unranked; {
			ticked, done, err := k.ticker.onward(tr)
			if done || err != nil {
				return // the error shows when it is done for good
			}
			if ticked {
				ticks++
			}
		}
	})
	k.probing = false
}
