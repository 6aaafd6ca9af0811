package por

import (
	"errors"
	"fmt"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs with words that threads store to and mostly don't read, under the searches that know of
// them (unread.go). Two judges run all interleavings. One knows nothing of it: it says which states
// and bugs there are, but for the contents of words that the search takes for unread. The other says
// which traces there are of the finer independence, and whether a step reads such a word.

// overwriting draws programs of two to four threads.
func overwriting() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 3)
		p := &model.Program{Bytes: 24, Standing: pick(t, "standing", 4) > 0, MainEnds: pick(t, "mainends", 4) == 3, Mutexes: 1, Calm: true}
		loops := pick(t, "loops", 4) == 0
		for i := range n {
			var code []model.Instr
			put := func(in ...model.Instr) { code = append(code, in...) }
			if i == 0 && !p.Standing {
				for k := 1; k < n; k++ {
					put(model.Instr{Code: model.Create, A: k})
				}
			}
			for k := 1 + pick(t, "length", 6-n); k > 0; k-- {
				a, v, head := 8*pick(t, "where", 3), int64(1+pick(t, "value", 3)), len(code)
				switch pick(t, "kind", 20) {
				case 0, 1, 2, 3, 4:
					put(model.Instr{Code: model.Store, A: a, C: v})
				case 5, 6, 7:
					put(model.Instr{Code: model.Swap, A: a, C: v})
				case 8:
					put(model.Instr{Code: model.Store, A: a + 4*pick(t, "half", 2), C: v, Size: 4})
				case 9:
					put(model.Instr{Code: model.Load, A: 16, R: 1}, model.Instr{Code: model.StoreR, A: a, R: 1, C: v})
				case 10:
					put(model.Instr{Code: model.Load, A: a, R: 1})
				case 11:
					put(model.Instr{Code: model.Load, A: 16, R: 1}, model.Instr{Code: model.AssNe, A: len(code), R: 1, C: v})
				case 12:
					put(model.Instr{Code: model.Lock}, model.Instr{Code: model.Store, A: a, C: v}, model.Instr{Code: model.Unlock})
				case 13:
					put(model.Instr{Code: model.Add, A: a, C: v})
				case 14:
					put(model.Instr{Code: model.FetchAdd, A: 16, R: 1, C: v})
				case 15: // a read that only some executions have
					put(model.Instr{Code: model.Load, A: 16, R: 1}, model.Instr{Code: model.JumpNe, R: 1, C: v, A: head + 3}, model.Instr{Code: model.Load, A: a, R: 2})
				case 16:
					put(model.Instr{Code: model.Exchange, A: a, R: 1, C: v})
				case 17:
					put(model.Instr{Code: model.CompareEx, A: 16, R: 1, C: v - 1, D: v})
				case 18:
					put(model.Instr{Code: model.TryLock, R: 1}, model.Instr{Code: model.JumpNe, R: 1, C: 1, A: head + 4}, model.Instr{Code: model.Store, A: a, C: v}, model.Instr{Code: model.Unlock})
				default:
					if loops {
						put(model.Instr{Code: model.Load, A: a, R: 1}, model.Instr{Code: model.JumpNe, R: 1, C: v, A: head})
					} else {
						put(model.Instr{Code: model.Store, A: 8, C: v})
					}
				}
			}
			if i == 0 && !p.Standing && pick(t, "joins", 2) == 0 {
				for k := 1; k < n; k++ {
					put(model.Instr{Code: model.Join, A: k})
				}
				if pick(t, "reads", 3) == 0 {
					put(model.Instr{Code: model.Load, A: 8 * pick(t, "which", 3), R: 3}, model.Instr{Code: model.AssNe, A: 99, R: 3, C: 2})
				}
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// agreeUnread compares the searches with the judges. fewer: optimal ran fewer executions than without.
func agreeUnread(p *model.Program, limit uint64, f fault) (fewer bool, err error) {
	for _, search := range []string{"sleep:unread=1", "source:unread=1", "optimal:unread=1"} {
		opts := single
		opts.fault = f
		found := newSurvey(p)
		found.r.blending, found.r.unreading = true, true
		e, err := New(search, opts)
		if err != nil {
			return false, err
		}
		if found.stats, err = e.Run(found.r, found); err != nil {
			return false, err
		}
		all := newSurvey(p)
		all.m.Unheeded(found.m, false)
		if all, err = exhaustTo(all, limit); err != nil {
			return false, err
		}
		if !all.stats.Complete {
			return false, errTooLarge
		}
		if err := allOutcomes(all, found); err != nil {
			return false, fmt.Errorf("%s: %w", search, err)
		}
		judge := newSurvey(p)
		judge.r.blending = true
		judge.r.Blend(true)
		if judge.r.awaiting = search != "sleep:unread=1"; judge.r.awaiting {
			judge.r.Await(true)
		}
		judge.m.Unheeded(found.m, true)
		judge, err = exhaustTo(judge, limit)
		switch {
		case errors.Is(err, trace.ErrFiner):
			return false, fmt.Errorf("%s: a step reads what nothing is said to read", search)
		case err != nil:
			return false, err
		case !judge.stats.Complete:
			return false, errTooLarge
		case judge.clash != "":
			return false, fmt.Errorf("two executions of one trace differ: %s", judge.clash)
		}
		if spins(p) && (search != "optimal:unread=1" || !pure(p) || combines(p)) {
			continue
		}
		for c := range judge.traces {
			if found.traces[c] == nil {
				return false, fmt.Errorf("%s: missed a trace of %d", search, len(judge.traces))
			}
		}
		if search != "optimal:unread=1" {
			continue
		}
		if int(found.stats.Executions) != len(judge.traces) {
			return false, fmt.Errorf("%d executions of %d traces", found.stats.Executions, len(judge.traces))
		}
		fewer = found.m.Stored() > 0 && int(found.stats.Executions) < len(all.traces)
	}
	return fewer, nil
}

func TestUnread(t *testing.T) {
	sparing(t, overwriting(), func(p *model.Program) (bool, error) { return agreeUnread(p, spinLimit, sound) })
}

// TestUnreadCounts: eight threads store to one word. Where nothing reads it there is one execution.
func TestUnreadCounts(t *testing.T) {
	for _, c := range []struct {
		reads bool
		want  uint64
	}{{false, 1}, {true, 5040}} {
		p := &model.Program{Bytes: 16, Threads: [][]model.Instr{nil}}
		for k := range 7 {
			p.Threads[0] = append(p.Threads[0], model.Instr{Code: model.Create, A: k + 1})
			p.Threads = append(p.Threads, []model.Instr{{Code: model.Store, A: 0, C: int64(k)}})
		}
		for k := range 7 {
			p.Threads[0] = append(p.Threads[0], model.Instr{Code: model.Join, A: k + 1})
		}
		if c.reads {
			p.Threads[0] = append(p.Threads[0], model.Instr{Code: model.Load, A: 0, R: 1})
		}
		found := newSurvey(p)
		found.r.blending, found.r.unreading = true, true
		e, err := New("optimal:unread=1", single)
		if err != nil {
			t.Fatal(err)
		}
		st, err := e.Run(found.r, found)
		if err != nil || st.Executions != c.want || st.Blocked > 0 {
			t.Errorf("reads %v: %d executions, %d blocked, want %d: %v", c.reads, st.Executions, st.Blocked, c.want, err)
		}
	}
}

// TestUnreadMutants: the judges find a rule that is missing.
func TestUnreadMutants(t *testing.T) {
	for _, f := range []fault{keepAsleep, dropBacktrack} {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) {
			findsFault(t, overwriting(), 3000, func(p *model.Program) error {
				_, err := agreeUnread(p, spinLimit, f)
				return err
			})
		})
	}
	t.Run("reads that aren't seen", func(t *testing.T) {
		findsFault(t, overwriting(), 3000, func(p *model.Program) error {
			p.Careless = true
			_, err := agreeUnread(p, spinLimit, sound)
			return err
		})
	})
}

// TestSoakUnread is TestUnread on as many programs as LANDGO_SOAK says.
func TestSoakUnread(t *testing.T) {
	soakSparing(t, overwriting(), func(p *model.Program) (bool, error) { return agreeUnread(p, spinLimit, sound) })
}
