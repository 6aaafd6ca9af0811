package por

import (
	"testing"

	"landgo/por/internal/model"
)

// TestSourceBPOR: a program of which source-bpor missed an end within the bound,
// found by the differential test, before a block's start got what leads to a
// race's second step too (conservative.go).
func TestSourceBPOR(t *testing.T) {
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
	if len(all.traces) != len(some.traces) {
		t.Errorf("%d of %d traces", len(some.traces), len(all.traces))
	}
}
