package por

import (
	"runtime"
	"time"
)

// budget says when a walk has to stop or to rest, between two steps.
type budget struct {
	opts  *Options
	batch *batch // under way, nil for a search that isn't divided
	index int    // of the unit in the batch

	used, quota uint64 // steps; used up, the walk rests
	polled      uint32
	look        uint32 // poll is due when none of these bits of polled is set
	due         bool
	worked      int       // since pollWithin asked last
	since       time.Time // the walk has the processor

	resting bool
	stopped bool // the observer has seen enough, or Options.Stop says so
	halted  bool // the unit isn't wanted any more
	quits   bool // one of the two, found by pollWithin
}

// step counts one step.
func (b *budget) step() {
	b.used++
	if b.polled++; b.polled&b.look == 0 || b.used >= b.quota {
		b.due = true
	}
}

// interrupted asks whether to stop.
func (b *budget) interrupted() bool {
	if b.batch != nil {
		b.halted = b.batch.unwanted(b.index)
		return b.halted
	}
	if b.opts.Stop != nil && b.opts.Stop() {
		b.stopped = true
		return true
	}
	return false
}

// enough reports whether as many executions were run as there may be.
func (o *Options) enough(s *Stats) bool {
	return o.MaxExecutions > 0 && s.Executions >= o.MaxExecutions
}

// pollWithin is called for work, in steps looked at, that can go on for seconds
// between two transitions. It reports whether the search is to stop: what the
// caller has left to do is lost with it.
func (b *budget) pollWithin(work int) bool {
	if b.worked += work; b.worked >= 1<<20 && !b.quits {
		b.worked = 0
		b.quits = b.interrupted()
	}
	return b.quits
}

// begin begins unit index of a batch.
func (b *budget) begin(of *batch, index int) {
	b.batch, b.index, b.used = of, index, 0
	b.resting, b.stopped, b.halted, b.quits = false, false, false, false
}

// giveWay ends the walk's turn on a processor after 6 ms; it is called more
// often than that. A walk spends its time in short calls of C. Where it goes on
// for 10 ms, Go's monitor (sysmon) interrupts it each time that it looks,
// thousands of times a second. Two workers on two processors lose a twentieth of
// their time to that. Giving way more often costs as much: the walk may go on
// elsewhere, with cold caches.
func (b *budget) giveWay() {
	if now := time.Now(); now.Sub(b.since) > 6*time.Millisecond {
		b.since = now
		runtime.Gosched()
	}
}
