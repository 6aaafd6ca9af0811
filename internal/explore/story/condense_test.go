package story

import (
	"testing"

	"landgo/internal/trace"
)

// TestTold: of a step of a thousand turns of a loop with 30 accesses, the last turn's are told, and those that weren't
// made again. The locks stay that are held at these.
func TestTold(t *testing.T) {
	tr := &trace.Transition{}
	tr.Accesses = append(tr.Accesses, trace.Access{Addr: 8, PC: 1, Size: 4})
	for turn := range 1000 {
		tr.Did(trace.Op{Kind: trace.OpLock, Obj: 64})
		for k := range 30 {
			tr.Accesses = append(tr.Accesses, trace.Access{Addr: uint64(1000 + 8*k), PC: uint64(10 + k), Size: 8, Flags: trace.Write})
		}
		if turn == 500 {
			tr.Accesses = append(tr.Accesses, trace.Access{Addr: 1000, PC: 99, Size: 8})
		}
		tr.Did(trace.Op{Kind: trace.OpUnlock, Obj: 64})
		if turn == 600 {
			tr.Accesses = append(tr.Accesses, trace.Access{Addr: 1000, PC: 98, Size: 8})
		}
		tr.Did(trace.Op{Kind: trace.OpCondSignal, Obj: 128})
	}
	accesses, ops, places := told(tr)
	held := map[uint64]bool{}
	n, depth := 0, 0
	for k, a := range accesses {
		for ; n < len(ops) && int(ops[n].At) <= k; n++ {
			switch ops[n].Kind {
			case trace.OpLock:
				depth++
			case trace.OpUnlock:
				depth--
			}
		}
		held[a.PC] = depth > 0
	}
	if len(accesses) != 33 || accesses[0].PC != 1 || accesses[1].PC != 99 || accesses[2].PC != 98 || accesses[32].PC != 39 {
		t.Errorf("%d accesses: %v", len(accesses), accesses)
	}
	if held[1] || !held[99] || held[98] || !held[10] || !held[39] {
		t.Errorf("locks are held at %v", held)
	}
	if len(ops) != 5 || ops[4].Kind != trace.OpCondSignal || places[4] != 2999 || ops[4].At != 33 {
		t.Errorf("operations: %v, at %v", ops, places)
	}
	tr.Accesses, tr.Ops = tr.Accesses[:10_000], tr.Ops[:100]
	if accesses, ops, _ := told(tr); len(accesses) != 10_000 || len(ops) != 100 {
		t.Errorf("%d accesses of 10,000, %d operations of 100", len(accesses), len(ops))
	}
}
