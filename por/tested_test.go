package por

import (
	"fmt"
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs whose additions are tested, under the searches that know on which side of a number each of them
// finds its count (Tester). The judges are those of above_test.go.

// agreeTested is agreeCounts for tested additions, without or with those to counts that stay above zero.
func agreeTested(p *model.Program, limit uint64, counting bool, f fault) (fewer bool, err error) {
	return agreeAdditions(p, limit, counting, true, f, "sleep", "source", "optimal")
}

// TestTestedAdditions: references are taken and given back.
func TestTestedAdditions(t *testing.T) {
	for _, counting := range []bool{false, true} {
		t.Run(fmt.Sprint("counting ", counting), func(t *testing.T) {
			sparing(t, referring(), func(p *model.Program) (bool, error) { return agreeTested(p, spinLimit, counting, sound) })
		})
	}
}

// arriving draws programs of two to four threads that count to a number, from above or from below.
func arriving() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 3)
		p := &model.Program{Bytes: 24, Standing: true, Calm: true,
			Init: map[int]byte{0: byte(pick(t, "first", 4)), 8: byte(pick(t, "second", 4))}}
		// The tests that most additions to a counter have.
		by, to := [2]int64{1, -1}, [2]int64{}
		for a := range by {
			if pick(t, "down", 2) == 0 {
				by[a] = -by[a]
			}
			to[a] = int64(pick(t, "to", 4))
		}
		for range n {
			var code []model.Instr
			put := func(in ...model.Instr) { code = append(code, in...) }
			for k := 1 + pick(t, "length", 6-n); k > 0; k-- {
				w := pick(t, "where", 2)
				a, v, d := 8*w, by[w], to[w]
				switch pick(t, "another", 10) {
				case 0:
					v = -v
				case 1:
					d++
				}
				switch pick(t, "kind", 12) {
				case 0, 1, 2, 3: // arrive
					put(model.Instr{Code: model.AddTest, A: a, R: 1, C: v, D: d})
				case 4, 5, 6: // and be the last one
					put(model.Instr{Code: model.AddTest, A: a, R: 1, C: v, D: d}, model.Instr{Code: model.JumpNe, R: 1, C: 1, A: len(code) + 3},
						model.Instr{Code: model.Store, A: pick(t, "begin", 2) * 8 * 2, C: int64(pick(t, "again", 4))})
				case 7: // which mustn't be
					put(model.Instr{Code: model.AddTest, A: a, R: 1, C: v, D: d}, model.Instr{Code: model.AssNe, A: len(code), R: 1, C: 1})
				case 8:
					put(model.Instr{Code: model.Add, A: a, C: v})
				case 9:
					put(model.Instr{Code: model.Load, A: pick(t, "look", 3) * 8, R: 2})
				case 10:
					put(model.Instr{Code: model.Store, A: pick(t, "set", 3) * 8, C: int64(pick(t, "again", 4))})
				default:
					put(model.Instr{Code: model.CompareEx, A: a, R: 2, C: 1, D: 2})
				}
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// TestArrivals: threads count to a number, and the one that comes to it does something.
func TestArrivals(t *testing.T) {
	for _, counting := range []bool{false, true} {
		t.Run(fmt.Sprint("counting ", counting), func(t *testing.T) {
			sparing(t, arriving(), func(p *model.Program) (bool, error) { return agreeTested(p, spinLimit, counting, sound) })
		})
	}
}

// meeting draws programs of two to four threads that count, and wait in loops until a count has a value.
func meeting() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 3)
		p := &model.Program{Bytes: 24, Standing: true, Calm: true, Init: map[int]byte{0: byte(pick(t, "first", 4)), 8: byte(pick(t, "second", 2))}}
		by, to := 1-2*int64(pick(t, "down", 2)), int64(pick(t, "to", 4))
		for range n {
			var code []model.Instr
			put := func(in ...model.Instr) { code = append(code, in...) }
			for k := 1 + pick(t, "length", 6-n); k > 0; k-- {
				a, v := 8*(pick(t, "where", 4)/3), by
				if pick(t, "back", 10) == 0 {
					v = -by
				}
				switch pick(t, "kind", 12) {
				case 0, 1, 2, 3: // arrive
					put(model.Instr{Code: model.Add, A: a, C: v})
				case 4, 5: // and ask whether it was the last
					put(model.Instr{Code: model.AddTest, A: a, R: 1, C: v, D: to}, model.Instr{Code: model.JumpNe, R: 1, C: 1, A: len(code) + 3},
						model.Instr{Code: model.Store, A: 8 * (1 + pick(t, "begin", 2)), C: 1})
				case 6, 7:
					waits(t, &code, untilValue, a, to, 0)
				case 8:
					waits(t, &code, whileValue, a, int64(pick(t, "value", 3)), 0)
				case 9:
					waits(t, &code, untilValue, 8, 1, 0)
				case 10:
					put(model.Instr{Code: model.Store, A: a, C: int64(pick(t, "again", 3))})
				default:
					put(model.Instr{Code: model.Load, A: a, R: 2})
				}
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// TestMeetings: threads count, and others wait for the count. Numbers between additions are awaited, too.
func TestMeetings(t *testing.T) {
	sparing(t, meeting(), func(p *model.Program) (bool, error) { return agreeTested(p, spinLimit, false, sound) })
}

// TestTestedMutants: the judges find a search without one of the rules.
func TestTestedMutants(t *testing.T) {
	for _, f := range []fault{roomless} {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) {
			findsFault(t, arriving(), 3000, func(p *model.Program) error {
				_, err := agreeTested(p, spinLimit, false, f)
				return err
			})
		})
	}
}

// TestLastOne: of n threads that count to n, each is the last one in one execution.
func TestLastOne(t *testing.T) {
	for n := 2; n <= 6; n++ {
		for _, up := range []bool{false, true} {
			p := &model.Program{Bytes: 8, Standing: true, Init: map[int]byte{0: byte(n)}}
			in := model.Instr{Code: model.AddTest, R: 1, C: -1}
			if up {
				p.Init, in.C, in.D = nil, 1, int64(n)
			}
			for range n {
				p.Threads = append(p.Threads, []model.Instr{in})
			}
			found := newSurvey(p)
			found.r.blending, found.r.testing = true, true
			e, err := New("optimal", single)
			if err != nil {
				t.Fatal(err)
			}
			if st, err := e.Run(found.r, found); err != nil || int(st.Executions) != n || st.Blocked > 0 {
				t.Errorf("%d threads, up %v: %d executions, %d blocked: %v", n, up, st.Executions, st.Blocked, err)
			}
		}
	}
}

// TestSoakTested is TestTestedAdditions, TestArrivals and TestMeetings on as many programs as LANDGO_SOAK says.
func TestSoakTested(t *testing.T) {
	for _, counting := range []bool{false, true} {
		soakSparing(t, referring(), func(p *model.Program) (bool, error) { return agreeTested(p, spinLimit, counting, sound) })
		soakSparing(t, arriving(), func(p *model.Program) (bool, error) { return agreeTested(p, spinLimit, counting, sound) })
		soakSparing(t, meeting(), func(p *model.Program) (bool, error) { return agreeTested(p, spinLimit, counting, sound) })
	}
}

// TestMeetOnce: n threads that count and wait until all have come have one execution. Where a thread goes on
// with fewer, the additions have all their orders.
func TestMeetOnce(t *testing.T) {
	for n := 2; n <= 5; n++ {
		for fewer, want := range []int{1, 0} {
			p := &model.Program{Bytes: 8, Standing: true, Calm: true}
			for range n {
				p.Threads = append(p.Threads, []model.Instr{{Code: model.Add, C: 1},
					{Code: model.Load, R: 0}, {Code: model.JumpNe, R: 0, C: int64(n - fewer), A: 1}})
			}
			found := newSurvey(p)
			found.r.blending, found.r.testing = true, true
			e, err := New("optimal", single)
			if err != nil {
				t.Fatal(err)
			}
			st, err := e.Run(found.r, found)
			if err != nil || want > 0 && int(st.Executions) != want || st.Blocked > 0 {
				t.Errorf("%d threads, %d fewer: %d executions, %d blocked: %v", n, fewer, st.Executions, st.Blocked, err)
			}
		}
	}
}
