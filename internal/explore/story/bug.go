package story

import (
	"fmt"

	"landgo/internal/explore/story/cause"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Bug makes the report of the failure in which the story ends.
func (st *Story) Bug(fl *scheduler.Failure, preemptions int, minimal result.Minimal) (*result.Bug, error) {
	st.callers()
	st.findOwnLocks()
	b := &result.Bug{
		Kind: fl.Kind, Message: fl.Message, Thread: st.Guest.Name(fl.Thread),
		Preemptions: preemptions, Minimal: minimal, BeforeThreads: st.BeforeThreads() && !st.Plain.Ticking(),
		Schedule: st.Schedule.String(), Stack: st.Session.Stack(fl.Thread), Output: st.Output(),
	}
	if fl.Stack != nil { // the thread went on
		b.Stack = st.Frames(fl.Stack)
	}
	if fl.Kind == trace.Output && result.Innermost(b.Stack).File == "" {
		b.Stack = []result.Frame{} // main has returned: no line of the program's is to blame
	}
	st.switches(b)
	st.choices(b)
	st.waits(b, fl)
	for _, c := range fl.Calls {
		b.Calls = append(b.Calls, result.Call{Thread: st.Guest.Name(c.Thread), Call: c.Name, Result: c.Result, Begin: c.Begin, End: c.End,
			Place: result.Innermost(st.Frames([]uint64{c.PC - 1})), Unexplained: c.End == lastEnd(fl.Calls)})
	}
	b.Block = st.block(&fl.Block)
	st.why.Explain(b, fl)
	st.starts(b)
	st.nameAll(b)
	if fl.Kind != trace.Race {
		return b, nil
	}
	x := st.RaceIn(fl.Message)
	if x == nil {
		return nil, fmt.Errorf("an execution went another way when it was run again: %s", fl.Message)
	}
	return b, st.collide(b, x)
}

// Against compares the run with one that passes.
func (st *Story) Against(passes *Story) *cause.Pair {
	passes.findOwnLocks()
	return st.why.Against(passes.why)
}

// lastEnd is the place of the last end.
func lastEnd(calls []scheduler.Called) (last int) {
	for i := range calls {
		last = max(last, calls[i].End)
	}
	return last
}
