package witness

import (
	"cmp"
	"maps"
	"slices"

	"landgo/internal/trace"
)

// Long is where the steps of a long execution went: to the place in the code at which
// most of them began.
type Long struct {
	Steps int // of the execution, as far as it was followed
	// PC is an instruction of that place. Threads, by name, came there, the one that did
	// so most often Turns times; Part is how many of the steps began there.
	PC      uint64   `json:",omitempty"`
	Threads []string `json:",omitempty"`
	Turns   int      `json:",omitempty"`
	Part    int      `json:",omitempty"`
	// Way is the execution up to the third turn in the loop in which it stays.
	Way []trace.Segment `json:",omitempty"`
	// Buffered is how many stores that thread's buffer has had at once.
	Buffered int `json:",omitempty"`
}

// Busy is a loop within one step: a thread that runs for long without a preemption point.
type Busy struct {
	Insns  uint64 // of the step, at least
	Period int    `json:",omitempty"` // instructions of a turn; 0: none was made out
	PC     uint64 `json:",omitempty"` // one of them
	Thread string `json:",omitempty"`
}

// Step is a step of a path: the instruction with which it began, and how far its thread was then.
type Step struct {
	*trace.Transition
	PC, Insns uint64
	Half      uint32
}

// Path is an execution, as far as it was followed.
type Path struct {
	Steps []Step
	// Now is how far each thread is: Insns and Half of a Step. It is nil for a kernel that schedules
	// its threads itself: a part of such a path is no schedule.
	Now map[trace.TID]Step
	// HasLine reports whether an instruction is in a source that is known. Caller is the innermost
	// instruction on a thread's stack that is, or else the one that it is given.
	HasLine func(pc uint64) bool
	Caller  func(t trace.TID, pc uint64) uint64
	Name    func(trace.TID) string
}

// Long says where the steps of the path began: at the place in a source that
// is known where most did, if those are many; else where most did.
func (p *Path) Long() Long {
	at := map[uint64]*stepsAt{}
	for i := range p.Steps {
		st := &p.Steps[i]
		n := at[st.PC]
		if n == nil {
			n = &stepsAt{pc: st.PC, turns: map[trace.TID]int{}}
			at[st.PC] = n
		}
		n.steps++
		n.turns[st.Thread]++
	}
	const many = 16 // one step in this many
	var best, known *stepsAt
	for _, n := range at {
		if best.less(n) {
			best = n
		}
		if known.less(n) && p.HasLine(n.pc) {
			known = n
		}
	}
	if known != nil && known.steps >= best.steps/many {
		best = known
	}
	l := Long{Steps: len(p.Steps), PC: best.pc, Part: best.steps}
	most := trace.NoThread
	for _, t := range slices.Sorted(maps.Keys(best.turns)) {
		l.Threads = append(l.Threads, p.Name(t))
		if n := best.turns[t]; n > l.Turns {
			l.Turns, most = n, t
		}
	}
	l.Way = p.way(best.pc, most)
	l.Buffered = p.buffered(most)
	if best != known { // where it was called
		l.PC = p.Caller(most, l.PC)
	}
	return l
}

// stepsAt is a place where steps began, and how many of each thread.
type stepsAt struct {
	pc    uint64
	steps int
	turns map[trace.TID]int
}

// less orders places by their steps, then by their addresses, the lowest last.
func (p *stepsAt) less(q *stepsAt) bool {
	return p == nil || cmp.Or(cmp.Compare(p.steps, q.steps), cmp.Compare(q.pc, p.pc)) < 0
}

// shownTurns is how many turns of the loop in which an execution stays are on its way.
const shownTurns = 3

// way is the path up to this many turns of the loop in which a thread stays to the end.
// The loop begins where the thread reaches an instruction again and again, without a long time
// in between.
func (p *Path) way(pc uint64, t trace.TID) (list []trace.Segment) {
	if p.Now == nil {
		return nil
	}
	var turns []int
	for i := range p.Steps {
		if st := &p.Steps[i]; st.Thread == t && st.PC == pc {
			turns = append(turns, i)
		}
	}
	if len(turns) <= shownTurns {
		return nil
	}
	const long = 8 // times the usual
	usual := (turns[len(turns)-1] - turns[0]) / (len(turns) - 1)
	from := len(turns) - 1
	for from > 0 && turns[from]-turns[from-1] <= long*usual {
		from--
	}
	if from += shownTurns; from >= len(turns) {
		return nil
	}
	ends := maps.Clone(p.Now) // of the steps on the way
	last := trace.NoThread
	for i := len(p.Steps) - 1; i >= 0; i-- {
		st := &p.Steps[i]
		if n := len(list); i < turns[from] && n > 0 && list[n-1].Choice == 0 && last == st.Thread {
			list[n-1].Choice = st.Choice // a path may have millions of steps, and few changes of threads
		} else if i < turns[from] {
			end := ends[st.Thread]
			list, last = append(list, trace.Segment{Thread: p.Name(st.Thread), Until: end.Insns, Part: end.Half, Choice: st.Choice}), st.Thread
		}
		ends[st.Thread] = *st
	}
	slices.Reverse(list)
	return list
}

// buffered is how many stores a thread's buffer has had at once.
func (p *Path) buffered(t trace.TID) (most int) {
	now := 0
	for i := range p.Steps {
		switch tr := p.Steps[i].Transition; {
		case tr.Updates && tr.Of == t && len(tr.Accesses) > 0:
			now--
		case tr.Thread == t && slices.ContainsFunc(tr.Accesses, func(a trace.Access) bool {
			return a.Flags&(trace.Buffered|trace.Write) == trace.Buffered|trace.Write
		}):
			now++
		}
		most = max(most, now)
	}
	return most
}
