package por

import (
	"testing"

	"landgo/por/internal/model"
)

// TestDeep: an execution of 100,000 transitions by 64 threads costs no more
// per transition than a short one, up to the clocks' width.
func TestDeep(t *testing.T) {
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
	for _, name := range []string{"source", "optimal", "trust"} {
		st, _ := runModel(t, name, p, Options{OneEvent: true, Unmerged: true, MaxExecutions: 200})
		if st.Executions != 200 || st.Blocked != 0 {
			t.Errorf("%s: %+v", name, st)
		}
		t.Logf("%s: %+v", name, st)
	}
}
