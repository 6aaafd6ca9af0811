package scheduler

import (
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler/witness"
)

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
	if ran >= least && ran > g.seen.record.Met.Busy.Insns && !g.attempt.probing {
		g.seen.record.Met.Busy = witness.Busy{Insns: ran, Period: period, PC: g.in.ownPC(th.ID, g.in.machine.PC(th.Ctx)), Thread: g.in.Name(th.ID)}
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
	if n := len(g.in.steps); n >= longPath && n > g.seen.record.Met.Long.Steps*5/4 && !g.attempt.probing {
		g.seen.record.Met.Long = g.whereLong()
	}
}

// whereLong says where the steps of the present path went.
func (g *longest) whereLong() witness.Long {
	p := witness.Path{Steps: make([]witness.Step, 0, len(g.in.steps)), HasLine: g.in.hasLine, Name: g.in.Name, Caller: g.in.ownPC}
	for i := range g.in.steps {
		st := &g.in.steps[i]
		p.Steps = append(p.Steps, witness.Step{Transition: st.tr, PC: beginning(st), Insns: st.insns, Half: st.half})
	}
	if !g.in.steered() { // else a part of the path is no schedule
		p.Now = map[trace.TID]witness.Step{}
		for i := range g.in.threads {
			if th := &g.in.threads[i]; th.Exists {
				p.Now[th.ID] = witness.Step{Insns: th.Insns, Half: th.Half}
			}
		}
	}
	return p.Long()
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
