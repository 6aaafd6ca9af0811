package scheduler

import (
	"math/rand/v2"
	"testing"

	"landgo/internal/trace"
)

// Whether other threads have left traces is asked of each execution's new steps only, and the
// answer is that of all steps.
func TestTraceless(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 2))
	var l traceless
	var steps []stepInfo
	var number uint64
	asked, all, yes := 0, 0, 0
	for range 20_000 {
		steps = steps[:len(steps)-min(len(steps), r.IntN(6))] // back, and on with others
		for range r.IntN(6) {
			tr := &trace.Transition{Thread: trace.TID(r.IntN(3))}
			if r.IntN(12) == 0 {
				tr.Ops = []trace.Op{{Kind: trace.OpSyscall}}
			}
			number++
			steps = append(steps, stepInfo{tr: tr, number: number})
		}
		last, pointer := trace.TID(r.IntN(40)/39), uint64(r.IntN(40)/39)
		leaves := func(tr *trace.Transition) bool { return len(tr.Ops) > 0 && uint64(tr.Thread) != pointer }
		want := false
		for i := range steps {
			all++
			want = want || steps[i].tr.Thread != last && leaves(steps[i].tr)
		}
		if want {
			yes++
		}
		got := l.differ(steps, last, pointer, func(tr *trace.Transition) bool { asked++; return leaves(tr) })
		if got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	if yes == 0 || yes == 20_000 || asked > all/2 {
		t.Errorf("%d of 20,000 had traces; %d of %d steps were asked for", yes, asked, all)
	}
}
