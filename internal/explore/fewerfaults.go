package explore

import (
	"landgo/internal/trace"
	"landgo/por"
)

// fewerFaults looks for the bug with fewer failures of calls (--faults): without any, with
// one, and so on, each time within the steps that minimising may take. Its finding takes
// the place of the known bug, however many preemptions it has. Executions have no more
// failures than that until unlimited is called.
func (h *hunt) fewerFaults(f *finding) (unlimited func(), err error) {
	unlimited = func() {}
	if err := h.plainer(f, h.refining(f)); err != nil {
		return unlimited, err
	}
	if h.Config.Faults == "" || f.failure.Kind == trace.Output || f.failure.Kind == trace.Race || f.passed() {
		return unlimited, nil
	}
	if err := h.outline(f); err != nil { // the guest is at its end then
		return unlimited, err
	}
	used := h.Plain.Failing.Count()
	unlimited = func() { h.Plain.LimitFaults(-1) }
	for n := range used {
		h.Plain.LimitFaults(n)
		run := h.refining(f)
		engine, err := por.New("optimal", por.Options{OneEvent: h.OneEvent(), Unmerged: h.Config.Unmerged(), MaxExecutions: minimiseLimit,
			Stop: func() bool { return run.Spent() || h.stop() }})
		if err != nil {
			return unlimited, err
		}
		got, _, err := h.seek(engine, run, f)
		if err != nil {
			continue // as in minimise
		}
		if got {
			used = n
			if err := h.outline(f); err != nil {
				return unlimited, err
			}
			h.publish()
			break
		}
	}
	h.Plain.LimitFaults(used)
	return unlimited, nil
}
