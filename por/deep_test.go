package por

import (
	"bytes"
	"slices"
	"testing"

	"landgo/por/internal/model"
)

// deepProgram has executions of 100,000 transitions by 64 threads.
func deepProgram() *model.Program {
	const threads, events = 64, 1560
	p := &model.Program{Bytes: 8 * (threads + 1), MainEnds: true}
	var main []model.Instr
	for i := 1; i <= threads; i++ {
		main = append(main, model.Instr{Code: model.Create, A: i})
	}
	for i := 1; i <= threads; i++ {
		main = append(main, model.Instr{Code: model.Join, A: i})
	}
	p.Threads = append(p.Threads, main)
	for i := 1; i <= threads; i++ {
		var code []model.Instr
		for k := 0; k < events; k++ {
			// mostly a cell that the neighbour reads now and then
			in := model.Instr{Code: model.Store, A: 8 * i, C: int64(k)}
			if k%100 == 7 {
				in = model.Instr{Code: model.Load, A: 8 * (i - 1)}
			}
			if k%400 == 11 {
				in = model.Instr{Code: model.FetchAdd, A: 0, C: 1}
			}
			code = append(code, in)
		}
		p.Threads = append(p.Threads, code)
	}
	return p
}

// TestDeep: such an execution costs no more per transition than a short one, up
// to the clocks' width.
func TestDeep(t *testing.T) {
	p := deepProgram()
	for _, name := range []string{"source", "optimal", "trust"} {
		st, _ := runModel(t, name, p, Options{OneEvent: true, Unmerged: true, MaxExecutions: 200})
		if st.Executions != 200 || st.Blocked != 0 {
			t.Errorf("%s: %+v", name, st)
		}
		t.Logf("%s: %+v", name, st)
	}
}

// TestDeepBatches: such a search is divided, saved and gone on with like any other.
// The saved form is the same with one worker and with two, and for a search that
// goes on from the form of a batch before.
func TestDeepBatches(t *testing.T) {
	p := deepProgram()
	laps := func(name string, jobs, n int, from []byte) (list [][]byte) {
		opts := Options{OneEvent: true, Unmerged: true, WarmUp: 105_000, UnitSteps: 5_000, batchUnits: 2, Resume: from, Crew: plainHands{p, jobs}}
		opts.SaveNow = func() bool { return true }
		opts.look = 1<<30 - 1 // not before the search is divided
		opts.Save = func(state []byte) error {
			if list = append(list, state); len(list) == n {
				return errKilled
			}
			return nil
		}
		s, err := New(name, opts)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(model.New(p), &tally{}); err != errKilled {
			t.Fatal(name, err)
		}
		return list
	}
	one := laps("optimal", 1, 3, nil)
	if two := laps("optimal", 2, 3, nil); !slices.EqualFunc(one, two, bytes.Equal) {
		t.Error("two workers go another way than one")
	}
	if again := laps("optimal", 2, 1, one[1]); !bytes.Equal(again[0], one[2]) {
		t.Error("gone on with, the search goes another way")
	}
	t.Logf("%d bytes", len(one[2]))
}
