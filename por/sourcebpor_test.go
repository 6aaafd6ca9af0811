package por

import (
	"testing"

	"landgo/por/internal/model"
)

// TestSourceBPORMisses: a program of which source-bpor misses an end within the
// bound, found by the differential test with a fresh seed. Whoever repairs the
// search gives it back its claim, and its rows in that test.
func TestSourceBPORMisses(t *testing.T) {
	p := &model.Program{Bytes: 16, Mutexes: 2, Conds: 1, Sems: []int{0, 1}, RWLocks: 1, Barriers: []int{2}, Budget: 9, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Create, A: 3}},
		{{Code: model.Lock}, {Code: model.Load, Size: 8}, {Code: model.SemWait}},
		{{Code: model.Load, Size: 8}, {Code: model.AssNe, A: 1, C: 1}},
		{{Code: model.Exchange, C: 2, Size: 8}},
	}}
	within := Options{OneEvent: true, Unmerged: true, Bounds: Bounds{{Preempt, 0}}}
	all, err := explore("bounded", p, within)
	if err != nil {
		t.Fatal(err)
	}
	some, err := explore("source-bpor", p, within)
	if err != nil {
		t.Fatal(err)
	}
	if missed := len(all.traces) > len(some.traces); missed != (kindNamed("source-bpor").Claim == Nothing) {
		t.Errorf("%d of %d traces: the search's claim says otherwise", len(some.traces), len(all.traces))
	}
}
