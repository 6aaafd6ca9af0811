package por

import (
	"fmt"
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs under search readsfrom, against the judge of observers_test.go. Executions of one
// class have the same events, each load finds the same store, and all else that depends comes
// in the same order.

func TestReadsFrom(t *testing.T) {
	onRandom(t, storing(false), func(p *model.Program) error { return agreeReads(p, storingLimit, sound) })
}

// TestReadsFromAmong: among everything else that threads do.
func TestReadsFromAmong(t *testing.T) {
	gen := soaked(false, false)
	rapid.Check(t, func(rt *rapid.T) {
		p := gen.Draw(rt, "program")
		if err := agreeReads(p.Program, p.limit, sound); err != nil && err != errTooLarge {
			tellFinding(rt, err, p.Program)
		}
	})
}

func TestReadsFromCounts(t *testing.T) {
	count := func(what string, p *model.Program, want uint64) {
		t.Helper()
		if st, _ := runModel(t, "readsfrom", p, single); st.Executions != want || st.Blocked != 0 {
			t.Errorf("%s: %+v, want %d", what, st, want)
		}
	}
	for n := 1; n <= 6; n++ {
		p := model.NWriters(n)
		count(fmt.Sprint(n, " writers"), p, 1)
		p.Threads[0] = append(p.Threads[0], model.Instr{Code: model.Load})
		count(fmt.Sprint(n, " writers, a reader at the end"), p, uint64(n))
		if n <= 4 {
			count(fmt.Sprint("micro, 2 x ", n), model.Micro(2, n), [...]uint64{0, 7, 51, 393, 3139}[n])
		}
		count(fmt.Sprint("a writer, ", n, " readers"), model.WriterReaders(n), 1<<n)
		p = &model.Program{Bytes: 8, Standing: true, Threads: [][]model.Instr{{{Code: model.Load}}}}
		for range n {
			p.Threads = append(p.Threads, []model.Instr{{Code: model.Store, C: int64(len(p.Threads))}})
		}
		count(fmt.Sprint(n, " writers, a reader beside them"), p, uint64(n+1))
	}
}

// TestReadsFromMutants: a rule that is missing is found.
func TestReadsFromMutants(t *testing.T) {
	for _, f := range []fault{dropBacktrack, keepAsleep, oneOutcome, freeReads} {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) {
			findsFault(t, storing(false), 5000, func(p *model.Program) error { return agreeReads(p, storingLimit, f) })
		})
	}
}

// TestSoakReadsFrom is TestReadsFrom and TestReadsFromAmong on as many programs as LANDGO_SOAK
// says.
func TestSoakReadsFrom(t *testing.T) { soakWatched(t, agreeReads) }
