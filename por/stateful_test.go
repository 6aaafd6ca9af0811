package por

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"
)

// twins wraps a System and checks its digests. Two states with the same digest have
// the same threads. The same step does the same in both, and leads to states with
// the same digest.
type twins struct {
	System
	hasher Hasher
	states map[trace.Digest]string
	steps  map[edge]string
	wrong  string
	met    int // states met again
}

type edge struct {
	from   trace.Digest
	thread trace.TID
	choice trace.Choice
}

func newTwins(s System, h Hasher) *twins {
	return &twins{System: s, hasher: h, states: map[trace.Digest]string{}, steps: map[edge]string{}}
}

func (w *twins) check(old, now string, known bool) {
	if known && old != now && w.wrong == "" {
		w.wrong = fmt.Sprintf("%s and %s", old, now)
	}
}

// describe says what a state is like for a search.
func (w *twins) describe() string {
	return fmt.Sprintf("%+v", w.System.Threads(nil))
}

func (w *twins) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	d, err := w.hasher.Digest()
	if err != nil {
		return nil, err
	}
	now := w.describe()
	old, known := w.states[d]
	w.check(old, now, known)
	w.states[d] = now
	if known {
		w.met++
	}
	x, err := w.System.Step(t, c)
	if err != nil {
		return x, err
	}
	did := fmt.Sprint(x.Accesses, x.Ops, x.Wakes, x.End)
	if x.End < trace.EndProcess {
		after, err := w.hasher.Digest()
		if err != nil {
			return nil, err
		}
		did += fmt.Sprintf("%x", after)
	}
	e := edge{d, t, c}
	old, known = w.steps[e]
	w.check(old, did, known)
	w.steps[e] = did
	return x, nil
}

// TestDigests: on every path of random programs, states with the same digest
// behave the same; and there are such states.
func TestDigests(t *testing.T) {
	gen := programs(false, false)
	met, done := 0, 0
	for n := 0; done < 40; n++ {
		p := gen.Example(n)
		if quick, _ := runModel(t, "optimal", p, Options{MaxExecutions: 50}); !quick.Complete {
			continue
		}
		done++
		m := model.New(p)
		w := newTwins(m, m)
		s, _ := New("none", Options{MaxExecutions: 500})
		if _, err := s.Run(w, &tally{}); err != nil {
			t.Fatal(err)
		}
		if w.wrong != "" {
			t.Fatalf("program %d: states with one digest differ: %s\n%v", n, w.wrong, p)
		}
		met += w.met
	}
	if met < 1000 {
		t.Errorf("states were met again only %d times", met)
	}
}

// forgetful has digests that leave something out.
type forgetful struct{ *model.Machine }

// Digest is that of the final state: without loops and what is left to do.
func (f forgetful) Digest() (trace.Digest, error) {
	return trace.Digest{f.Machine.State(), 0}, nil
}

// TestDigestsForgetful: the test of digests finds one that is incomplete, and a
// search that relies on it loses something.
func TestDigestsForgetful(t *testing.T) {
	hunt(t, func(p *model.Program, _ *survey) error {
		m := model.New(p)
		w := newTwins(m, forgetful{m})
		s, _ := New("none", Options{MaxExecutions: 200})
		if _, err := s.Run(w, &tally{}); err != nil || w.wrong != "" {
			return errors.New("digests: " + w.wrong)
		}
		return nil
	})
	hunt(t, func(p *model.Program, judge *survey) error {
		m := model.New(p)
		found := map[outcome]bool{}
		s, _ := New("stateful:sleep=0", Options{})
		if _, err := s.Run(forgetful{m}, &tally{stop: func(x *Execution) bool {
			if x.Ending <= EndedStuck {
				o := outcome{ending: x.Ending, state: m.State()}
				if x.Ending == EndedBug {
					o.bug = m.Bug + 1
				}
				found[o] = true
			}
			return false
		}}); err != nil || len(found) < len(judge.outcomes) {
			return fmt.Errorf("search: %d outcomes of %d", len(found), len(judge.outcomes))
		}
		return nil
	})
}

// TestStatefulStates: a stateful search takes each step of each state once, on
// programs whose number of states is known.
func TestStatefulStates(t *testing.T) {
	// Two threads of n steps on variables of their own: a grid of (n+1)^2
	// states, with the exits and creations beside.
	count := func(search string, n int) Stats {
		code := func(at int) (c []model.Instr) {
			for i := 0; i < n; i++ {
				c = append(c, model.Instr{Code: model.Store, A: at, C: int64(i + 1)})
			}
			return c
		}
		st, _ := runModel(t, search, two(code(0), code(8)), Options{OneEvent: true, Unmerged: true})
		return st
	}
	for _, n := range []int{2, 5, 9} {
		st := count("stateful:sleep=0", n)
		if most := uint64(8 * (n + 3) * (n + 3)); st.Transitions > most || !st.Complete {
			t.Errorf("%d steps each: %+v, at most %d transitions are there", n, st, most)
		}
		asleep := count("stateful", n)
		if asleep.Transitions > st.Transitions {
			t.Errorf("%d steps each: %d transitions with sleep sets, %d without", n, asleep.Transitions, st.Transitions)
		}
	}
}

// TestStatefulCycles: a stateful search finishes a program that can run for ever, because it has
// few states. One that has to run for ever isn't called right. A deadlock of spinning threads is
// found.
func TestStatefulCycles(t *testing.T) {
	for _, search := range []string{"stateful", "stateful:sleep=0"} {
		// Threads that take a lock and back out of it, which is no exact spin. The
		// first to have it keeps it, or gives it back.
		backOut := []model.Instr{{Code: model.FetchAdd, R: 2, A: 8, C: 1}, {Code: model.JumpIf, R: 2, C: 0, A: 4},
			{Code: model.FetchAdd, R: 2, A: 8, C: -1}, {Code: model.Jump, A: 0}}
		st, seen := runModel(t, search, two(append(backOut[:4:4], model.Instr{Code: model.FetchAdd, A: 8, C: -1}), append(backOut[:4:4], model.Instr{Code: model.FetchAdd, A: 8, C: -1})), Options{})
		if !st.Complete || seen.ends[EndedBlocked] == 0 || seen.ends[EndedProcess] == 0 {
			t.Errorf("%s: %+v", search, st)
		}
		for _, c := range []struct {
			first, second []model.Instr
			all           bool
		}{
			{backOut, backOut, true}, // no thread gives it back
			// A thread that comes late goes round for ever.
			{[]model.Instr{{Code: model.Load}, {Code: model.JumpIf, A: 5}, {Code: model.FetchAdd, A: 8, C: 1}, {Code: model.FetchAdd, A: 8, C: -1}, {Code: model.Jump, A: 2}},
				[]model.Instr{{Code: model.Store, C: 1}}, false},
		} {
			s, err := New(search, Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Run(model.New(two(c.first, c.second)), &tally{})
			var endless *EndlessError
			if !errors.As(err, &endless) || endless.Endless == 0 || (endless.Endless == endless.States) != c.all {
				t.Errorf("%s: %v", search, err)
			}
		}
		i := slices.IndexFunc(byHand, func(f finding) bool { return f.name == "two threads that spin for each other" })
		if _, seen := runModel(t, search, byHand[i].program(), Options{}); seen.ends[EndedStuck] == 0 {
			t.Errorf("%s: two threads that spin for each other aren't stuck", search)
		}
	}
}

// cyclic draws a program that may run for ever in few states. The process may
// end at any time, so that every state is a final one.
func cyclic(seed uint64) *model.Program {
	r := rand.New(rand.NewPCG(seed, 0))
	code := func() (c []model.Instr) {
		n := 2 + r.IntN(3)
		for i := 0; i < n; i++ {
			at := 8 * r.IntN(2)
			switch r.IntN(5) {
			case 0:
				c = append(c, model.Instr{Code: model.Load, A: at})
			case 1:
				c = append(c, model.Instr{Code: model.CompareEx, A: at, C: int64(r.IntN(2)), D: int64(r.IntN(3))})
			case 2:
				c = append(c, model.Instr{Code: model.Exchange, A: at, C: int64(r.IntN(2))})
			default:
				c = append(c, model.Instr{Code: model.Store, A: at, C: int64(r.IntN(3))})
			}
			if r.IntN(3) == 0 {
				c = append(c, model.Instr{Code: model.JumpNe, C: int64(r.IntN(2)), A: (len(c) + 1) * r.IntN(2)})
			}
		}
		if r.IntN(2) == 0 {
			c = append(c, model.Instr{Code: model.Jump})
		}
		return c
	}
	p := &model.Program{Bytes: 16, MainEnds: true, Threads: [][]model.Instr{nil}}
	for i := 1; i <= 2+r.IntN(2); i++ {
		p.Threads[0] = append(p.Threads[0], model.Instr{Code: model.Create, A: i})
		p.Threads = append(p.Threads, code())
	}
	return p
}

// TestStatefulCyclic: on programs whose state spaces have cycles, where no
// other search would end, sleep sets lose none of the final states.
func TestStatefulCyclic(t *testing.T) {
	finals := func(search string, p *model.Program) map[outcome]bool {
		found := map[outcome]bool{}
		m := model.New(p)
		s, err := New(search, Options{})
		if err != nil {
			t.Fatal(err)
		}
		st, err := s.Run(m, &tally{stop: func(x *Execution) bool {
			if x.Ending != EndedBlocked {
				found[outcome{ending: x.Ending, state: m.State()}] = true
			}
			return false
		}})
		if err != nil || !st.Complete {
			t.Fatal(err, st)
		}
		return found
	}
	for seed := uint64(0); seed < 100; seed++ {
		p := cyclic(seed)
		if judge, found := finals("stateful:sleep=0", p), finals("stateful", p); !maps.Equal(judge, found) {
			t.Fatalf("program %d: %d final states of %d\n%v", seed, len(found), len(judge), p)
		}
	}
}

// TestStatefulNeedsDigests: a system without digests is refused.
func TestStatefulNeedsDigests(t *testing.T) {
	s, _ := New("stateful", Options{})
	if st, err := s.Run(struct{ System }{model.New(model.NWriters(2))}, &tally{}); err == nil || st.Complete {
		t.Errorf("%+v, %v", st, err)
	}
}
