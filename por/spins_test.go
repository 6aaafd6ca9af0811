package por

import (
	"fmt"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs that wait in loops, under trust and rounder. Their traces are those
// of an order in which a step that ends a spin, or that would have ended one had
// no thread changed what its loop read, reads all that the loop read.

// waiting adds what a thread's loop read to its next step, for a recorder, and
// plain takes it away again, for the search.
type waiting struct {
	System
	threads []trace.Thread
	last    *trace.Transition
}

func (s *waiting) Threads(dst []trace.Thread) []trace.Thread {
	dst = s.System.Threads(dst)
	s.threads = append(s.threads[:0], dst...)
	return dst
}

func (s *waiting) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	var waits []trace.Access
	for i := range s.threads {
		if s.threads[i].ID == t {
			waits = s.threads[i].Waits
		}
	}
	x, err := s.System.Step(t, c)
	s.last = x
	seen := *x
	seen.Accesses = append(append([]trace.Access(nil), x.Accesses...), waits...)
	return &seen, err
}

type unaware struct {
	*recorder
	below *waiting
}

func (s unaware) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	_, err := s.recorder.Step(t, c)
	return s.below.last, err
}

// ends are the executions that a search found, by trace.
type ends struct {
	m      *model.Machine
	r      *recorder
	stats  Stats
	traces map[string]end
	clash  error
}

type end struct {
	ending Ending
	bug    int
	state  uint64
	rounds int
}

func (s *ends) Ended(x *Execution) bool {
	if x.Ending == EndedBlocked || x.Ending == EndedPruned {
		return true
	}
	e := end{ending: x.Ending, state: s.m.State(), rounds: s.r.rounds()}
	if x.Ending == EndedBug {
		e.bug = s.m.Bug + 1
	}
	c := string(s.r.canonical(nil))
	if old, ok := s.traces[c]; ok && old != e {
		s.clash = fmt.Errorf("one trace leads to %+v and %+v", old, e)
	}
	s.traces[c] = e
	return true
}

func (s *ends) Progress(Progress) {}
func (s *ends) Restarted()        { s.traces = map[string]end{} }

func waitAndSee(name string, p *model.Program, opts Options) (*ends, error) {
	s := &ends{m: model.New(p), traces: map[string]end{}}
	w := &waiting{System: s.m}
	s.r = &recorder{System: w}
	search, err := New(name, opts)
	if err != nil {
		return nil, err
	}
	s.stats, err = search.Run(unaware{s.r, w}, s)
	if err == nil {
		err = s.clash
	}
	return s, err
}

// checkSpins compares trust with the judge on a program with loops, and rounder
// with those of the judge's traces that are within a bound: the same traces,
// each once.
func checkSpins(p *model.Program) error {
	judge, err := waitAndSee("none", p, Options{MaxExecutions: spinLimit})
	if err != nil {
		return err
	}
	if !judge.stats.Complete {
		return errTooLarge
	}
	for k := -1; k < 3; k++ {
		name, opts := "trust", single
		if k >= 0 {
			name, opts.Bounds = "rounder", Bounds{{Rounds, k}}
		}
		s, err := waitAndSee(name, p, opts)
		if err != nil {
			return fmt.Errorf("%s %d: %w", name, k, err)
		}
		within := 0
		for c, e := range judge.traces {
			if k >= 0 && e.rounds > k {
				continue
			}
			within++
			if s.traces[c] != e {
				return fmt.Errorf("%s %d: trace %x leads to %+v, not to %+v", name, k, c, s.traces[c], e)
			}
		}
		if !s.stats.Complete || len(s.traces) != within || int(s.stats.Executions) != within {
			return fmt.Errorf("%s %d: %+v, %d traces, %d are there", name, k, s.stats, len(s.traces), within)
		}
	}
	return nil
}

// spinLimit is the number of executions that exhaustive search may take.
const spinLimit = 400

var errTooLarge = fmt.Errorf("more than %d executions", spinLimit)

// loops draws programs of two or three threads with a loop each.
func loops() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		p := &model.Program{Bytes: 16, Mutexes: 1, RWLocks: 1, Budget: 8, Init: map[int]byte{0: byte(pick(t, "init", 2))}}
		n := 2 + pick(t, "threads", 2)
		var main []model.Instr
		for i := 1; i < n; i++ {
			main = append(main, model.Instr{Code: model.Create, A: i})
		}
		for i := 0; i < n; i++ {
			var code []model.Instr
			plain := func(label string) model.Instr {
				in := model.Instr{A: 8 * pick(t, label, 2), R: pick(t, label, 2), C: int64(pick(t, label, 2))}
				in.Code = []model.Code{model.Load, model.Yield, model.Exchange, model.Store, model.Load, model.CompareEx, model.Yield}[pick(t, label, 7)]
				if in.Code == model.CompareEx {
					in.D = 1
				}
				return in
			}
			for k := pick(t, "before", 3); k > 0; k-- {
				code = append(code, plain("first"))
			}
			if pick(t, "section", 6) == 5 { // that it may not leave
				code = append(code, model.Instr{Code: model.Lock}, plain("inside"))
				if pick(t, "leaves", 3) > 0 {
					code = append(code, model.Instr{Code: model.Unlock})
				}
			}
			if i > 0 && pick(t, "loops", 4) > 0 {
				head := len(code)
				lock := []model.Code{0, 0, 0, model.Lock, model.ReadLock, model.WriteLock}[pick(t, "locked", 6)]
				if lock != 0 {
					code = append(code, model.Instr{Code: lock})
				}
				for k := 1 + pick(t, "length", 3); k > 0; k-- {
					code = append(code, plain("body"))
				}
				switch lock {
				case model.Lock:
					code = append(code, model.Instr{Code: model.Unlock})
				case model.ReadLock, model.WriteLock:
					code = append(code, model.Instr{Code: model.RWUnlock})
				}
				code = append(code, model.Instr{Code: model.JumpIf, R: pick(t, "test", 2), C: int64(pick(t, "value", 2)), A: head})
			}
			for k := pick(t, "after", 3); k > 0; k-- {
				code = append(code, plain("last"))
			}
			if i == 0 {
				code = append(main, code...)
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// What TestSpins found, as in findings_test.go.
var spinFindings = []finding{
	{"1: a loop disturbed before it comes back to its head, or after, is one trace", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Load}, {Code: model.Store, A: 8}},
		{{Code: model.Load}, {Code: model.Load, A: 8}, {Code: model.Load}, {Code: model.JumpIf}},
	}}},
	{"2: a write that a thread in a loop didn't wait for makes no other trace", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Store}},
		{{Code: model.Load}, {Code: model.Load, A: 8}, {Code: model.JumpIf}},
	}}},
	{"3: what is read is one variable, but not where the loop begins", model.Program{Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Store}, {Code: model.Store, C: 1}},
		{{Code: model.Yield}, {Code: model.Load}, {Code: model.Yield}, {Code: model.JumpIf}},
	}}},
	{"4: a thread that goes round its loop by a lock is blocked before it, and depends on what the loop read as well", model.Program{Standing: true, Threads: [][]model.Instr{
		{{Code: model.Lock}},
		{{Code: model.Lock}, {Code: model.Load, Size: 4}, {Code: model.Unlock}, {Code: model.JumpIf}},
		{{Code: model.Store, C: 1}, {Code: model.Store, C: 2}},
	}}},
}

func TestSpinFindings(t *testing.T) {
	for _, f := range spinFindings {
		t.Run(f.name, func(t *testing.T) {
			if err := checkSpins(f.program()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSpins(t *testing.T) {
	onRandom(t, loops(), func(p *model.Program) error { return checkSpins(p) })
}
