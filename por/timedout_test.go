package por

import (
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// timedOut draws programs in which several timed waits run out at once.
func timedOut() *rapid.Generator[sized] {
	return rapid.Custom(func(t *rapid.T) sized {
		n := 2 + pick(t, "threads", 3)
		p := &model.Program{Bytes: 16, Mutexes: 2, Conds: 1, Sems: []int{0, 1}, RWLocks: 1, Barriers: []int{2}, Budget: 9, Standing: true, Together: true, MainEnds: pick(t, "mainends", 4) == 3}
		for i := range n {
			w := &writer{t: t, label: "thread"}
			for k := 1 + pick(t, "length", [...]int{0, 0, 3, 2, 1}[n]); k > 0; k-- {
				if n < 4 && pick(t, "other", 3) == 0 {
					w.statement(n)
					continue
				}
				r := 1 + i%2
				lock := []model.Instr{{Code: model.Lock}, {Code: model.SemWait}, {Code: model.SemWait, A: 1}, {Code: model.ReadLock}, {Code: model.WriteLock}}[pick(t, "lock", 5)]
				lock.R, lock.Timed = r, true
				w.put(lock)
				switch pick(t, "then", 4) {
				case 0:
					w.put(model.Instr{Code: model.SemPost})
				case 1: // only where it has run out
					w.put(model.Instr{Code: model.JumpIf, R: r, C: 1, A: len(w.code) + 3}, model.Instr{Code: model.SemPost}, model.Instr{Code: model.FetchAdd, R: 0, C: 1})
				default:
					w.access()
				}
			}
			p.Threads = append(p.Threads, w.code)
		}
		return sized{p, 2 * soakLimit}
	})
}

// TestTimedOut: where several waits run out in one step, every search finds what the judge finds.
func TestTimedOut(t *testing.T) {
	var seen sample
	differ(t, timedOut(), 150, &seen, func(_ *rapid.T, p *model.Program, judge *survey) error { return agreeAll(p, judge, true) })
}
