package story

import (
	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// mostAccounted is how many accesses of a step are accounted for, its last ones: with more it is one that went on past
// points.
const mostAccounted = 1 << 12

// Account is the step-by-step account of an execution.
func (st *Story) Account() []result.Event {
	var out []result.Event
	edges, last := newEdges(), map[string]uint64{}
	for i := range st.Beats {
		b := &st.Beats[i]
		e := result.Event{
			Thread: laneOf(st.Guest.Name(b.Step.Thread)), Begin: b.Step.Begin, End: b.Step.Last,
			Choice: uint32(b.Step.Choice), Stack: st.Frames(b.Stack), Held: st.HeldAfter(b, len(b.Ops)), Output: b.Out,
			Switch: b.Why, Preemption: i+1 < len(st.Beats) && st.Beats[i+1].Step.Preemption,
		}
		arrives := trace.IsArrivalName(e.Thread)
		if arrives { // the row is that of the thread which gets the signal
			e.Thread = trace.OwnerName(e.Thread)
			e.Begin = last[e.Thread]
			e.End = e.Begin
		}
		last[e.Thread] = e.End
		e.After = edges.born(b.Step.Thread)
		for _, t := range b.Woken() {
			if name := st.Guest.Name(t); !trace.IsDrainName(name) {
				e.Wakes = append(e.Wakes, name)
			}
		}
		skipped := max(0, len(b.Accesses)-mostAccounted)
		for n, op := range b.Ops {
			if st.IsOwnLock(op.Obj) {
				continue // its accesses are told
			}
			text := st.Named(st.Guest.OpText(op))
			if e.Does != "" && text != "" {
				e.Does += ", "
			}
			e.Does += text
			after := edges.after(op, b.Step.Thread, i+1)
			if text != "" {
				e.Operations = append(e.Operations, result.Operation{Does: text, Before: max(min(int(op.At), len(b.Accesses))-skipped, 0), Place: st.madeBy(op, i), After: after, Held: st.HeldAfter(b, n+1)})
			}
		}
		for k := skipped; k < len(b.Accesses); k++ {
			if arrives {
				break // to words of the kernel's
			}
			e.Accesses = append(e.Accesses, st.Shown(record.At{Beat: i, Access: k}))
		}
		out = append(out, e)
	}
	return out
}

// laneOf is a thread's name for a reader: what finds a store buffer empty is reported with that.
func laneOf(name string) string {
	if trace.IsDrainName(name) {
		return trace.OwnerName(name) + trace.BufferMark
	}
	return name
}

// madeBy is where the guest's code makes an operation of a beat's, or nil. A block's life has
// the whole stack, which leads through a library to the user's code.
func (st *Story) madeBy(op trace.Op, beat int) *result.Frame {
	if stack, ok := st.ends[lifeEnd{beat + 1, op.Obj, op.Kind == trace.OpReuse}]; ok {
		if f := result.Innermost(stack); f.File != "" && !f.Library {
			return &f
		}
	}
	return st.called(op)
}

// called is where the guest's code makes a call, or nil.
func (st *Story) called(op trace.Op) *result.Frame {
	if op.PC == 0 {
		return nil
	}
	f := result.Innermost(st.Frames([]uint64{op.PC - 1}))
	return &f
}

// edges finds, for each operation, those of other threads that order it: the happens-before
// relation of the account's operations, without what follows by transitivity.
type edges struct {
	last    map[uint64]map[trace.TID]int // step of a thread's last operation on an object, from 1
	ends    map[trace.TID]int            // step in which a thread ended
	created map[trace.TID]int            // step that created a thread, or sent it a signal, until its next step
}

func newEdges() *edges {
	return &edges{map[uint64]map[trace.TID]int{}, map[trace.TID]int{}, map[trace.TID]int{}}
}

// born is the step that created a thread, at the thread's first step, or sent it a signal, at
// the next one; else 0.
func (e *edges) born(t trace.TID) int {
	n := e.created[t]
	delete(e.created, t)
	return n
}

// after takes an operation of a step in, and returns the steps that it comes after.
func (e *edges) after(op trace.Op, by trace.TID, step int) (steps []int) {
	add := func(n int) {
		if n > 0 && n != step {
			steps = append(steps, n)
		}
	}
	switch op.Kind {
	case trace.OpCreate:
		e.created[trace.TID(op.Obj)] = step
		return steps
	case trace.OpExit:
		e.ends[by] = step
		return steps
	case trace.OpCancel:
		if op.Signal() != 0 && trace.TID(op.Obj) != by {
			e.created[trace.TID(op.Obj)] = step // which then runs its handler
		}
		return steps
	case trace.OpJoin:
		add(e.ends[trace.TID(op.Obj)])
		return steps
	}
	if op.Size == 0 {
		return steps
	}
	latest := 0
	for t, n := range e.last[op.Obj] {
		if t != by {
			latest = max(latest, n)
		}
	}
	// The thread's own operation on it in between comes after that already.
	if latest > e.last[op.Obj][by] {
		add(latest)
	}
	if e.last[op.Obj] == nil {
		e.last[op.Obj] = map[trace.TID]int{}
	}
	e.last[op.Obj][by] = step
	return steps
}
