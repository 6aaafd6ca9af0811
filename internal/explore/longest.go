package explore

import (
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler/witness"
)

// manyTurns is from how often on that a thread reached one place it is reported.
const manyTurns = 100

// long says where the work of a run went that ended with a budget. It went into
// steps, if executions are long and a loop makes them so, or into instructions, if
// steps are long.
func (h *hunt) long() {
	r := h.result
	r.Longest = nil
	if r.Verdict != result.Budget || h.Guest == nil {
		return
	}
	met := h.Guest.Seen().Met.Clone()
	if l := &met.Long; h.longestIs(l) {
		h.publish() // a limit may be reached, and then there is little time left
		h.showLong(l.Way)
		if l.Buffered >= manyTurns {
			r.Longest.Buffered = l.Buffered
		}
	}
	if b := &met.Busy; b.Insns > 0 {
		if fs := h.Frames([]uint64{b.PC}); len(fs) > 0 {
			r.Busiest = &result.Busiest{Thread: b.Thread, Instructions: b.Insns, Place: result.Innermost(fs), Period: b.Period}
		}
	}
}

// longestIs has the result name the place of a long execution, and reports whether there is one to name.
func (h *hunt) longestIs(l *witness.Long) bool {
	if l.Turns < manyTurns {
		return false
	}
	fs := h.Frames([]uint64{l.PC})
	if len(fs) == 0 {
		return false
	}
	h.result.Longest = &result.Longest{Steps: l.Steps, Place: result.Innermost(fs), Part: l.Part, Threads: l.Threads, Turns: l.Turns}
	return true
}

// mostShown is how many instructions a way to a loop may have, to be shown: a fraction of a second's.
const mostShown = 1 << 22

// showLong names the way of the longest execution to its loop, if it can be followed.
func (h *hunt) showLong(way []trace.Segment) {
	sched := trace.Schedule{Check: h.Check, Segments: way}
	ran := map[string]uint64{}
	for i := range way {
		ran[way[i].Thread] = way[i].Until
	}
	all := uint64(0)
	for _, n := range ran {
		all += n
	}
	if len(way) == 0 || all > mostShown {
		return
	}
	if _, err := h.FollowPart(sched); err != nil {
		return
	}
	l := h.result.Longest
	l.Schedule = sched.String()
	l.Replay = h.Config.ReplayCommand("", l.Schedule)
}
