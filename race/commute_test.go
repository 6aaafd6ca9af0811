package race

import (
	"testing"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// commute reports whether two operations on one object are put in no order.
func commute(a, b *trace.Op) bool { return group(a) != 0 && group(a) == group(b) }

// TestCommute: operations between which --fail-on race sees no order are
// independent for the searches, so no search need show both of their orders.
func TestCommute(t *testing.T) {
	t.Parallel()
	n := 0
	for a := range trace.NumOps {
		for b := range trace.NumOps {
			x, y := trace.Op{Kind: trace.OpKind(a), Obj: 64, Size: 8}, trace.Op{Kind: trace.OpKind(b), Obj: 64, Size: 8}
			if !commute(&x, &y) {
				continue
			}
			n++
			e, f := relation.Event{Thread: 1, Ops: []trace.Op{x}}, relation.Event{Thread: 2, Ops: []trace.Op{y}}
			if e.Dependent(&f) {
				t.Errorf("operations %d and %d are put in no order, and depend on each other", a, b)
			}
		}
	}
	if n < 20 {
		t.Errorf("%d pairs", n)
	}
}
