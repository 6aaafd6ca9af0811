package por

import (
	"errors"
	"slices"

	"landgo/internal/trace"
)

// How sys takes the steps of the path of observers.go in an order in which each read finds
// the store that it is said to find.

// real is the execution in which sys stands: the path's steps in the order in which it has
// taken them.
type real struct {
	order  []int32     // their numbers
	states []realState // before each, and the present one
}

type realState struct {
	mark        trace.Mark
	marked      bool
	running     trace.TID
	couldGoOn   bool
	preemptions int
}

// errUnrepeated is a broken invariant: a step depends only on what happens before it, and on
// the store that it reads.
var errUnrepeated = errors.New("search observers has found a step that ends otherwise though it reads the same values: use search optimal")

func (o *observers) now() *realState { return &o.real.states[len(o.real.states)-1] }

// take has sys take a step, the path's of that number.
func (o *observers) take(t trace.TID, c trace.Choice, number int32) (*trace.Transition, error) {
	tr, err := o.sys.Step(t, c)
	if tr == nil {
		return nil, err
	}
	s := *o.now()
	next := realState{running: t, preemptions: s.preemptions}
	if s.couldGoOn && t != s.running {
		next.preemptions++
	}
	r := &o.real
	r.order, r.states = append(r.order, number), append(r.states, next)
	if o.threads = o.threads[:0]; tr.End < trace.EndProcess {
		o.look()
	}
	return tr, err
}

// look reads the threads of the state in which sys stands.
func (o *observers) look() {
	o.threads = o.sys.Threads(o.threads[:0])
	s := o.now()
	for i := range o.threads {
		if t := &o.threads[i]; t.ID == s.running && t.Status == trace.Ready {
			s.couldGoOn = t.Preempted()
		}
	}
}

// Mark implements System.
func (o *observers) Mark() trace.Mark {
	o.remember()
	o.marks = append(o.marks, len(o.steps))
	return trace.Mark(len(o.marks) - 1)
}

// remember marks the present state.
func (o *observers) remember() {
	if s := o.now(); !s.marked {
		s.mark, s.marked = o.sys.Mark(), true
	}
}

// Rewind implements System. The steps that are left are an execution of the path that is
// left.
func (o *observers) Rewind(m trace.Mark) {
	n := o.marks[m]
	o.marks = o.marks[:m+1]
	o.leave(n)
	if n == 0 {
		o.lost = false
	}
	o.redo(slices.DeleteFunc(slices.Clone(o.real.order), func(i int32) bool { return int(i) >= n }))
}

// rearrange has the execution be one in which of the stores last was the last: all that comes
// after it by the constraints comes later than the others.
func (o *observers) rearrange(last int32, stores []int32) error {
	old := o.real.order
	p := slices.Index(old, last)
	if !slices.ContainsFunc(old[p+1:], func(i int32) bool { return slices.Contains(stores, i) }) {
		return nil
	}
	order, after := slices.Clone(old[:p]), make([]bool, len(o.steps))
	var behind []int32
	for _, i := range old[p:] {
		after[i] = o.before(last, i) || slices.ContainsFunc(o.settled, func(s settled) bool {
			return o.before(s.last, i) && slices.ContainsFunc(s.stores, func(j int32) bool { return j != s.last && after[j] })
		})
		if after[i] {
			behind = append(behind, i)
		} else {
			order = append(order, i)
		}
	}
	o.redo(append(order, behind...))
	return o.err
}

// redo has sys stand behind the path's steps in this order.
func (o *observers) redo(order []int32) {
	r := &o.real
	k := 0
	for k < len(order) && k < len(r.order) && order[k] == r.order[k] {
		k++
	}
	if k < len(r.order) {
		for !r.states[k].marked {
			k--
		}
		o.sys.Rewind(r.states[k].mark)
		r.order, r.states = r.order[:k], r.states[:k+1]
		o.look()
	}
	for j, i := range order[k:] {
		s := o.steps[i]
		if !s.fresh || k+j+1 < len(order) {
			o.remember()
		}
		if thread(o.threads, s.Thread).Status != trace.Ready {
			o.err = errUnrepeated
			return
		}
		if !s.fresh {
			o.stats.Replayed++
		}
		tr, err := o.take(s.Thread, s.inner, i)
		switch {
		case errors.Is(err, ErrFiner) && tr != nil:
			o.lost = true
		case err != nil:
			o.err = err
			return
		case s.fresh:
		case !s.same(tr) && !o.lost:
			o.err = errUnrepeated
			return
		}
		if s.fresh {
			s.keep(tr)
			s.fresh = false
		}
	}
}

// same reports whether tr does the same as s.
func (s *taken) same(tr *trace.Transition) bool {
	return s.Begin == tr.Begin && s.Last == tr.Last && s.End == tr.End &&
		slices.EqualFunc(s.Accesses, tr.Accesses, func(a, b trace.Access) bool {
			return a.Addr == b.Addr && a.Size == b.Size && a.IsWrite() == b.IsWrite()
		}) && slices.EqualFunc(s.Ops, tr.Ops, func(a, b trace.Op) bool { return a.Kind == b.Kind && a.Obj == b.Obj })
}

// depth and pathSteps implement walker.
func (o *observers) depth() int { return len(o.real.order) }

func (o *observers) pathSteps(dst []PathStep) []PathStep {
	for k, i := range o.real.order {
		s, was := o.steps[i], &o.real.states[k]
		dst = append(dst, PathStep{Thread: s.Thread, Choice: s.inner, Begin: s.Begin, Last: s.Last, Preemption: was.couldGoOn && s.Thread != was.running})
	}
	return dst
}
