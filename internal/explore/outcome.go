package explore

import (
	"bytes"
	"slices"

	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// An execution's outcome is its standard output. (Its exit status is 0, or
// it is a bug.) Two outcomes of one program are no bug in themselves, but a race that
// decides between them isn't benign either. The counts are of executions that a search
// ran: a search with a reduction runs one of each trace, so a trace counts once,
// however many interleavings it has.
//
// The order of output between threads isn't explored, unless the user asks for it
// (--observe stdout). So lines are compared without their order then: two executions of
// a trace have the same outcome.
type outputs struct {
	list   []*output
	by     map[string]*output
	others uint64 // executions with further outcomes
	buf    []byte
	// ignored are the known bugs with which executions ended, or that they went past.
	ignored []saved.Ignored
}

type output struct {
	text       string // as it was written
	key        string
	executions uint64
	path       []por.PathStep // of the first
}

const (
	// maxOutcomes is how many outcomes are distinguished,
	maxOutcomes = 32
	// by so much of each.
	maxOutcome = 4096
)

// note adds an execution that has ended without a bug. One that was assumed away is no pass, and has no outcome.
func (h *hunt) note(x *por.Execution) {
	if x.AssumedAway() {
		return
	}
	last := trace.NoThread
	if x.Ending == por.EndedProcess && x.Last != nil {
		last = x.Last.Thread
	}
	h.outcomes.add(printed(h.Session, last), h.Config.ObserveStdout, x)
}

// printed is the standard output of an execution, at whose end the guest
// stands. last is the thread that has ended the process, if one has.
func printed(s *session.Session, last trace.TID) []byte {
	if s.Console == nil {
		return nil
	}
	out := s.Console.Output(1)
	if last != trace.NoThread {
		if more := s.Plain.Unwritten(last); len(more) > 0 {
			out = append(slices.Clip(out), more...)
		}
	}
	return out
}

func (o *outputs) add(text []byte, ordered bool, x *por.Execution) {
	text = text[:min(len(text), maxOutcome)]
	o.buf = append(o.buf[:0], text...)
	if n := bytes.Count(text, []byte("\n")); !ordered && n > 1 {
		lines := bytes.SplitAfter(text, []byte("\n"))
		slices.SortFunc(lines, bytes.Compare)
		o.buf = o.buf[:0]
		for _, l := range lines {
			o.buf = append(o.buf, l...)
		}
	}
	if known := o.by[string(o.buf)]; known != nil {
		known.executions++
		return
	}
	o.take(&output{text: string(text), key: string(o.buf), executions: 1, path: x.Path(nil)})
}

// take adds the executions of an outcome.
func (o *outputs) take(n *output) {
	switch known := o.by[n.key]; {
	case known != nil:
		known.executions += n.executions
	case len(o.list) >= maxOutcomes:
		o.others += n.executions
	default:
		if o.by == nil {
			o.by = map[string]*output{}
		}
		own := *n
		o.list, o.by[n.key] = append(o.list, &own), &own
	}
}

// merge adds what another search, or another part of this one, has seen.
func (o *outputs) merge(from *outputs) {
	for _, n := range from.list {
		o.take(n)
	}
	o.others += from.others
	o.ignore(from.ignored...)
}

// tell describes the outcomes in a result. schedules has executions that show them.
func (o *outputs) tell(h *hunt, schedules map[string]trace.Schedule) {
	if len(o.list) == 1 && o.list[0].text == "" {
		return // it prints nothing
	}
	for _, n := range o.list {
		out := result.Outcome{Output: n.text, Executions: n.executions}
		if s := schedules[n.key]; len(s.Segments) > 0 && len(o.list) > 1 {
			out.Schedule = s.String()
			out.Replay = h.Config.ReplayCommand("", out.Schedule)
		}
		h.result.Outcomes = append(h.result.Outcomes, out)
	}
	slices.SortStableFunc(h.result.Outcomes, func(a, b result.Outcome) int {
		switch {
		case a.Executions > b.Executions:
			return -1
		case a.Executions < b.Executions:
			return 1
		}
		return 0
	})
	h.result.OtherOutcomes = o.others
}

// longExecution is from how many instructions on an execution isn't run again for an
// outcome's schedule once a limit is reached: that takes a while, and the user waits.
const longExecution = 1 << 20

// schedules names the executions that show outcomes. The guest stops where their steps
// end.
func (o *outputs) schedules(h *hunt, into map[string]trace.Schedule) {
	if h.stop() && h.Guest.Seen().Instructions > longExecution*max(1, h.result.Executions) {
		return
	}
	for _, n := range o.list {
		if _, known := into[n.key]; known || n.path == nil || n.text == "" && len(o.list) == 1 { // alone, it isn't told
			continue
		}
		// Where the execution can't be run again, for points became finer, the outcome is
		// reported without it.
		if s, err := story.Schedule(h.Session, n.path); err == nil {
			into[n.key] = s
		}
		n.path = nil
	}
}

// tellOutcomes tells those of a search that isn't one of many, before anything is run
// again that makes its steps finer.
func (h *hunt) tellOutcomes() {
	if len(h.outcomes.list) == 0 {
		return
	}
	shown := map[string]trace.Schedule{}
	if len(h.outcomes.list) > 1 {
		h.outcomes.schedules(h, shown)
	}
	h.outcomes.tell(h, shown)
}
