package pebbles

import "landgo/internal/trace"

// enumerator tries every schedule of a guest with at most a number of
// preemptions, each before any instruction. It uses brute force, so its results
// depend on no reduction. At a voluntary switch all others are tried.
type enumerator struct {
	w    *world
	runs int // executions that ended
	cut  int // executions given up, for their threads only poll
	// bad is how the first bad execution ended; the search is over then.
	bad string
}

const goodEnd = "status 0"

// least is the least number of preemptions, up to limit, with which the guest
// ends other than with status 0, and how it ends then; -1 if there is none.
func (e *enumerator) least(limit int) int {
	start := e.w.mark()
	for n := 0; n <= limit; n++ {
		e.from(0, n, 0)
		if e.bad != "" {
			return n
		}
		e.w.rewind(start)
	}
	return -1
}

// from runs thread t, with n preemptions left to spend, to all ends. It returns
// with the world in any state, and early once a bad end was found.
func (e *enumerator) from(t trace.TID, n, polls int) {
	w := e.w
	start := w.mark()
	length := e.stretch(t)
	e.switched(t, n, polls)
	if n == 0 {
		return
	}
	for i := uint64(0); i < length && e.bad == ""; i++ {
		w.rewind(start)
		if i > 0 {
			w.run(t, i)
		}
		others := w.ready()
		here := w.mark()
		for _, u := range others {
			if u != t && e.bad == "" {
				w.rewind(here)
				e.from(u, n-1, 0)
			}
		}
	}
}

// stretch runs t to its next voluntary switch and returns how many instructions
// it has completed before it got there: 0 if it doesn't get there.
func (e *enumerator) stretch(t trace.TID) uint64 {
	before := e.w.actors[t].insns
	if e.w.run(t, maxStretch) {
		e.w.end = "no end"
		return 0
	}
	return e.w.actors[t].insns - before
}

const (
	maxStretch = 1 << 16 // instructions; no guest here runs as many
	maxPolls   = 6       // yields in turn
	lonePolls  = 64      // yields of the only thread that can run
)

// switched goes on after a voluntary switch of t.
func (e *enumerator) switched(t trace.TID, n, polls int) {
	w := e.w
	ts := w.ready()
	if w.end == "" && len(ts) == 0 {
		w.end = "deadlock"
	}
	if w.end != "" {
		e.runs++
		if w.end != goodEnd {
			e.bad = w.end
		}
		return
	}
	if w.actors[t].state == actorReady {
		// A yield. Others come first. Threads that yield in turn are cut; one
		// that is alone in doing so waits for ever.
		if polls++; polls > lonePolls && len(ts) == 1 {
			e.bad = "livelock"
			return
		} else if polls > maxPolls && len(ts) > 1 {
			e.cut++
			return
		}
	} else {
		polls = 0
	}
	here := w.mark()
	for i, u := range ts {
		if u == t && len(ts) > 1 {
			continue
		}
		if i > 0 {
			w.rewind(here)
		}
		if e.from(u, n, polls); e.bad != "" {
			return
		}
	}
}
