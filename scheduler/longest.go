package scheduler

import (
	"cmp"
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
}

// longPath is from how many steps on an execution is looked at.
const longPath = 2000

// noteLong looks at the execution that ends here, or is left, if it is much longer than the
// longest so far.
func (s *System) noteLong() {
	if n := len(s.steps); n >= longPath && n > s.met.Long.Steps*5/4 && !s.probing {
		s.met.Long = s.whereLong()
	}
}

// whereLong says where the steps of the present path began. A place in a source that is
// known goes before one that isn't.
func (s *System) whereLong() Long {
	type place struct {
		pc    uint64
		steps int
		turns map[trace.TID]int
	}
	at := map[uint64]*place{}
	for i := range s.steps {
		st := &s.steps[i]
		pc := beginning(st)
		p := at[pc]
		if p == nil {
			p = &place{pc: pc, turns: map[trace.TID]int{}}
			at[pc] = p
		}
		p.steps++
		p.turns[st.tr.Thread]++
	}
	l := Long{Steps: len(s.steps)}
	known := false
	var best *place
	for _, p := range at {
		fs := s.image.Frames(p.pc)
		line := len(fs) > 0 && fs[0].Line > 0
		if best == nil || line && !known || line == known && cmp.Or(cmp.Compare(p.steps, best.steps), cmp.Compare(best.pc, p.pc)) > 0 {
			best, known = p, line
		}
	}
	l.PC, l.Part = best.pc, best.steps
	ids := make([]trace.TID, 0, len(best.turns))
	for t, n := range best.turns {
		l.Turns = max(l.Turns, n)
		ids = append(ids, t)
	}
	slices.Sort(ids)
	for _, t := range ids {
		l.Threads = append(l.Threads, s.Name(t))
	}
	return l
}

// beginning is the instruction with which a step began: of a call, the call.
func beginning(st *stepInfo) uint64 {
	if tr := st.tr; len(tr.Accesses) == 0 && len(tr.Ops) > 0 && tr.Ops[0].PC != 0 {
		return tr.Ops[0].PC - 1
	}
	return st.pc
}
