package explore

import (
	"landgo/por"
	"landgo/result"
)

// minimiseLimit is the number of executions that the search for an
// interleaving with fewer preemptions may take, for each bug.
const minimiseLimit = 10_000

// minimise looks for an interleaving of the same bug with the fewest
// preemptions: preemption-bounded search without reduction, at bounds 0, 1, 2,
// ... (Musuvathi and Qadeer, PLDI 2007). What it finds first is the least, and
// if it ends without, what was known is.
func (h *hunt) minimise(f *finding) error {
	if f.preemptions == 0 {
		f.minimal = result.Proven
		return nil
	}
	if _, ok := h.cfg.Bounds.Limit(por.Preempt); ok {
		f.minimal = result.Proven // the search went by bounds already
		return nil
	}
	f.minimal = result.BestFound
	engine, err := por.New("none", por.Options{
		Bounds: por.Bounds{{Measure: por.Preempt, Limit: f.preemptions - 1}}, Iterate: true, MaxExecutions: minimiseLimit, Stop: h.stop,
	})
	if err != nil {
		return err
	}
	h.sys.Rewind(h.root)
	m := &minimiser{hunt: h, want: f}
	stats, err := engine.Run(h.sys, m)
	if err != nil {
		// What the reduced search didn't meet (a step budget) leaves the bug
		// as it was.
		return nil
	}
	if m.got || stats.Complete {
		f.minimal = result.Proven
	}
	return nil
}

// minimiser is the por.Observer of a search for one known bug.
type minimiser struct {
	*hunt
	want *finding
	got  bool
}

// Ended implements por.Observer.
func (m *minimiser) Ended(x *por.Execution) bool {
	f := m.failureAt(x)
	if f == nil || m.key(f) != m.want.key {
		return true
	}
	m.want.failure, m.want.preemptions = *f, x.Preemptions
	m.want.path = x.Path(m.want.path[:0])
	m.got = true
	return false
}

// Progress implements por.Observer.
func (m *minimiser) Progress(p por.Progress) {
	if m.obs != nil {
		m.obs.Progress(Progress{Phase: "minimising", Executions: p.Stats.Executions, Bugs: len(m.found)})
	}
}
