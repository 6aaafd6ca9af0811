package por

import (
	"fmt"
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs whose threads assume what they read, under searches for which a read isn't possible where its assumption
// doesn't hold. The judges are those of TestAwaits. What counts is the executions that aren't assumed away.

// assuming draws programs of two or three threads with assumptions behind reads.
func assuming() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 2)
		p := &model.Program{Bytes: 24, Standing: pick(t, "standing", 4) > 0, MainEnds: pick(t, "mainends", 4) == 3, Mutexes: 2, Calm: true, Assumes: true,
			Init: map[int]byte{0: byte(pick(t, "init", 2))}}
		timed := pick(t, "timed", 6) == 0
		for i := range n {
			var code []model.Instr
			put := func(in ...model.Instr) { code = append(code, in...) }
			if i == 0 && !p.Standing {
				for k := 1; k < n; k++ {
					put(model.Instr{Code: model.Create, A: k})
				}
			}
			for k := 1 + pick(t, "length", 5-n); k > 0; k-- {
				a, v, r := 8*pick(t, "where", 2), int64(pick(t, "value", 3)), pick(t, "register", 2)
				load, assume := model.Instr{Code: model.Load, A: a, R: r}, model.Instr{Code: model.Assume, R: r, C: v}
				switch kind := pick(t, "kind", 16); kind {
				case 0, 1, 2, 3:
					put(load, assume)
				case 4: // of two
					put(load, model.Instr{Code: model.Load, A: 8 - a, R: 1 - r}, model.Instr{Code: model.AddR, A: 1 - r, R: r}, assume)
				case 5: // of one, and then of the other
					put(load, model.Instr{Code: model.Load, A: 8 - a, R: 1 - r}, assume, model.Instr{Code: model.Assume, R: 1 - r, C: 1})
				case 6:
					put(model.Instr{Code: model.Exchange, A: a, R: r, C: 1}, assume)
				case 7:
					put(model.Instr{Code: model.CompareEx, A: a, R: r, C: v, D: 1}, model.Instr{Code: model.Assume, R: r, C: 1})
				case 8:
					put(model.Instr{Code: model.FetchAdd, A: a, R: r, C: 1}, assume)
				case 9: // behind a lock
					put(model.Instr{Code: model.Lock}, load, assume, model.Instr{Code: model.Store, A: a, C: v}, model.Instr{Code: model.Unlock})
				case 10:
					waits(t, &code, untilValue, a, v, r)
					put(model.Instr{Code: model.Assume, R: r, C: int64(pick(t, "assumed", 3))})
				case 11:
					put(load, model.Instr{Code: model.AssNe, A: len(code), R: r, C: v})
				case 12:
					put(model.Instr{Code: model.Store, A: 16, Size: 4, C: v}) // part of a variable
				case 13:
					lock := model.Instr{Code: model.Lock, A: 1, R: r, Timed: timed}
					put(lock, model.Instr{Code: model.Store, A: a, C: v})
					if pick(t, "gives back", 3) > 0 && !timed {
						put(model.Instr{Code: model.Unlock, A: 1})
					}
				default:
					put(model.Instr{Code: model.Store, A: a, C: v})
				}
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// agreeAssumed is agreeAwaits. fewer: an execution was left out.
func agreeAssumed(p *model.Program, limit uint64, f fault) (fewer bool, err error) {
	if err := agreeAwaits(p, limit, f); err != nil {
		return false, err
	}
	plain := *p
	plain.Assumes = false
	all, err := explore("optimal", &plain, single)
	if err != nil {
		return false, err
	}
	found, err := explore("optimal", p, single)
	if err != nil {
		return false, err
	}
	if passes := found.stats.Assumed < found.stats.Executions; passes != (len(found.outcomes) > 0) {
		return false, fmt.Errorf("%d executions, %d of them assumed away, have %d outcomes", found.stats.Executions, found.stats.Assumed, len(found.outcomes))
	}
	return found.stats.Executions < all.stats.Executions, nil
}

// TestAssumed: no outcome is lost with reads behind which an assumption fails.
func TestAssumed(t *testing.T) {
	sparing(t, assuming(), func(p *model.Program) (bool, error) { return agreeAssumed(p, spinLimit, sound) })
}

// TestAssumeMutants: the programs of TestAssumed show each rule that is left out.
func TestAssumeMutants(t *testing.T) {
	for _, f := range []fault{noAwaiting, nearAwait} {
		t.Run(fmt.Sprint("search ", f), func(t *testing.T) {
			findsFault(t, assuming(), 6000, func(p *model.Program) error {
				_, err := agreeAssumed(p, spinLimit, f)
				return err
			})
		})
	}
	for f := model.AnyEffect; f <= model.TimePasses; f++ {
		t.Run(fmt.Sprint("program ", f), func(t *testing.T) {
			findsFault(t, assuming(), 6000, func(p *model.Program) error {
				p.AssumesBadly = f
				_, err := agreeAssumed(p, spinLimit, sound)
				return err
			})
		})
	}
}

// TestSoakAssumed is TestAssumed on as many programs as LANDGO_SOAK says.
func TestSoakAssumed(t *testing.T) {
	soakSparing(t, assuming(), func(p *model.Program) (bool, error) { return agreeAssumed(p, spinLimit, sound) })
}
