package scheduler

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

// busyStep is from how many instructions on a step is reported. busyAlone is the same for a step
// of the only thread: the dynamic linker takes millions for a library of C++.
const (
	busyStep  = 1 << 20
	busyAlone = 1 << 24
)

// longest remembers the longest execution, and the longest step.
type longest struct {
	in      *named
	seen    *seen
	attempt *attempt
}

// noteBusy notes that a thread has run this many instructions in one step, if none has run more.
// The place is in a source that is known, if the thread has such a function on its stack: what a
// library is at follows from the call.
func (g *longest) noteBusy(th *thread, ran uint64, period int) {
	least := uint64(busyStep)
	if g.isAlone(th) {
		least = busyAlone
	}
	if ran >= least && ran > g.seen.met.Busy.Insns && !g.attempt.probing {
		g.seen.met.Busy = Busy{Insns: ran, Period: period, PC: g.in.ownPC(th.ID, g.in.machine.PC(th.Ctx)), Thread: g.in.Name(th.ID)}
	}
}

// isAlone: no other thread is there now.
func (g *longest) isAlone(th *thread) bool {
	return !slices.ContainsFunc(g.in.threads, func(o thread) bool { return o.ID != th.ID && o.Live() })
}

// longPath is from how many steps on an execution is looked at.
const longPath = 2000

// noteLong looks at the execution that ends here, or is left, if it is much longer than the
// longest so far.
func (g *longest) noteLong() {
	if n := len(g.in.steps); n >= longPath && n > g.seen.met.Long.Steps*5/4 && !g.attempt.probing {
		g.seen.met.Long = g.whereLong()
	}
}

// whereLong says where the steps of the present path began: at the place in a source that
// is known where most did, if those are many; else where most did.
func (g *longest) whereLong() Long {
	at := map[uint64]*stepsAt{}
	for i := range g.in.steps {
		st := &g.in.steps[i]
		pc := beginning(st)
		p := at[pc]
		if p == nil {
			p = &stepsAt{pc: pc, turns: map[trace.TID]int{}}
			at[pc] = p
		}
		p.steps++
		p.turns[st.tr.Thread]++
	}
	const many = 16 // one step in this many
	var best, known *stepsAt
	for _, p := range at {
		if best.less(p) {
			best = p
		}
		if known.less(p) && g.in.hasLine(p.pc) {
			known = p
		}
	}
	if known != nil && known.steps >= best.steps/many {
		best = known
	}
	l := Long{Steps: len(g.in.steps), PC: best.pc, Part: best.steps}
	most := trace.NoThread
	for _, t := range slices.Sorted(maps.Keys(best.turns)) {
		l.Threads = append(l.Threads, g.in.Name(t))
		if n := best.turns[t]; n > l.Turns {
			l.Turns, most = n, t
		}
	}
	l.Way = g.way(best.pc, most)
	l.Buffered = g.buffered(most)
	if best != known { // where it was called
		l.PC = g.in.ownPC(most, l.PC)
	}
	return l
}

// shownTurns is how many turns of the loop in which an execution stays are on its way.
const shownTurns = 3

// way is the present path up to this many turns of the loop in which a thread stays to the end.
// The loop begins where the thread reaches an instruction again and again, without a long time
// in between. It is nil for a kernel that schedules its threads itself: a part of its path is
// none.
func (g *longest) way(pc uint64, t trace.TID) (list []trace.Segment) {
	if g.in.steered() {
		return nil
	}
	var turns []int
	for i := range g.in.steps {
		if st := &g.in.steps[i]; st.tr.Thread == t && beginning(st) == pc {
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
	ends := map[trace.TID]Position{} // of the steps on the way
	for i := range g.in.threads {
		if th := &g.in.threads[i]; th.Exists {
			ends[th.ID] = Position{Insns: th.Insns, Part: th.Half}
		}
	}
	for i := len(g.in.steps) - 1; i >= 0; i-- {
		st := &g.in.steps[i]
		if i < turns[from] {
			end := ends[st.tr.Thread]
			list = append(list, trace.Segment{Thread: g.in.Name(st.tr.Thread), Until: end.Insns, Part: end.Part, Choice: st.tr.Choice})
		}
		ends[st.tr.Thread] = Position{Insns: st.insns, Part: st.half}
	}
	slices.Reverse(list)
	var s trace.Schedule
	for _, seg := range list {
		s.Append(seg)
	}
	return s.Segments
}

// buffered is how many stores a thread's buffer has had at once in the present path.
func (g *longest) buffered(t trace.TID) (most int) {
	now := 0
	for i := range g.in.steps {
		switch tr := g.in.steps[i].tr; {
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

// ownPC is the innermost instruction on a thread's stack that is in a source that is known,
// or else.
func (s *present) ownPC(t trace.TID, or uint64) uint64 {
	for i, pc := range s.Stack(t) {
		if i > 0 {
			pc--
		}
		if s.hasLine(pc) {
			return pc
		}
	}
	return or
}

func (s *fixed) hasLine(pc uint64) bool {
	fs := s.image.Frames(pc)
	return len(fs) > 0 && fs[0].Line > 0
}

// beginning is the instruction with which a step began: of a call, the call.
func beginning(st *stepInfo) uint64 {
	if tr := st.tr; len(tr.Accesses) == 0 && len(tr.Ops) > 0 && tr.Ops[0].PC != 0 {
		return tr.Ops[0].PC - 1
	}
	return st.pc
}
