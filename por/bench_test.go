package por

import (
	"testing"

	"landgo/por/internal/model"
)

// BenchmarkSearch measures the searches over the model machine: ns/transition
// is the search's own cost and the model's together.
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct {
		name string
		prog *model.Program
	}{
		{"nwriters8", model.NWriters(8)},
		{"micro2x5", model.Micro(2, 5)},
		{"mutex_inc2x8", model.MutexInc(2, 8)},
		{"indexer14", model.Indexer(14, false)},
		{"filesystem20", model.FileSystem(20)},
	} {
		for _, search := range []string{"optimal", "source", "dpor"} {
			b.Run(c.name+"/"+search, func(b *testing.B) {
				b.ReportAllocs()
				var transitions, executions uint64
				for i := 0; i < b.N; i++ {
					st, _ := runModel(b, search, c.prog, Options{OneEvent: true, Unmerged: true})
					transitions += st.Transitions
					executions += st.Executions
				}
				sec := b.Elapsed().Seconds()
				b.ReportMetric(float64(transitions)/sec, "transitions/s")
				b.ReportMetric(float64(executions)/sec, "executions/s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
