package por

import (
	"fmt"
	"slices"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs that wait in loops, under trust and rounder. Their traces are those of
// an order in which some steps read all that their loop read. These are the steps
// that end a spin, or that would have ended one had no thread changed what the loop
// read. It isn't so where such a change came before the turn's last step in every
// order.

// waiting adds what a thread's loop read to its next step, for a recorder, and
// plain takes it away again, for the search.
type waiting struct {
	System
	r       *recorder
	threads []trace.Thread
	last    *trace.Transition
	settled int // spins that were so
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
	if len(waits) > 0 && s.settles(t, waits) {
		waits = nil
		s.settled++
	}
	x, err := s.System.Step(t, c)
	s.last = x
	seen := *x
	seen.Accesses = append(append([]trace.Access(nil), x.Accesses...), waits...)
	return &seen, err
}

// settles reports whether another thread changed what thread t's loop read, waits,
// before the last step of the turn in all executions of the trace.
func (s *waiting) settles(t trace.TID, waits []trace.Access) bool {
	path := s.r.path
	last := len(path) - 1
	for path[last].Thread != t {
		last--
	}
	past := uint64(1) << last // what happens before it
	for i := last; i >= 0; i-- {
		if past>>i&1 != 0 {
			past |= s.r.after[i]
			for k := range path[:i] {
				if slices.Contains(path[k].Wakes, path[i].Thread) {
					past |= 1 << k
				}
			}
		}
	}
	for i := last; i >= 0 && len(waits) > 0; i-- {
		if path[i].Thread != t {
			continue
		}
		n := len(waits)
		if len(path[i].Accesses) != 1 || path[i].Accesses[0].Addr != waits[n-1].Addr || path[i].Accesses[0].Size != waits[n-1].Size {
			return false
		}
		for j := i + 1; j < last; j++ {
			for _, a := range path[j].Accesses {
				if past>>j&1 != 0 && path[j].Thread != t && a.IsWrite() && a.Flags&trace.Silent == 0 && a.Overlaps(&waits[n-1]) {
					return true
				}
			}
		}
		if path[i].Accesses[0].IsWrite() {
			return false
		}
		waits = waits[:n-1]
	}
	return false
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
	// settled: spins that the trace says by itself didn't last.
	settled int
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
	w.r = s.r
	search, err := New(name, opts)
	if err != nil {
		return nil, err
	}
	s.stats, err = search.Run(unaware{s.r, w}, s)
	s.settled = w.settled
	if err == nil {
		err = s.clash
	}
	return s, err
}

// checkSpins compares trust with the judge on a program with loops, and rounder
// with those of the judge's traces that are within a bound: the same traces,
// each once.
func checkSpins(p *model.Program) error {
	_, err := checkedSpins(p)
	return err
}

// checkedSpins also says how many spins of the judge's executions were settled.
func checkedSpins(p *model.Program) (settled int, err error) {
	judge, err := waitAndSee("none", p, Options{MaxExecutions: spinLimit})
	if err != nil {
		return 0, err
	}
	if !judge.stats.Complete {
		return 0, errTooLarge
	}
	for k := -1; k < 3; k++ {
		name, opts := "trust", single
		if k >= 0 {
			name, opts.Bounds = "rounder", Bounds{{Rounds, k}}
		}
		s, err := waitAndSee(name, p, opts)
		if err != nil {
			return 0, fmt.Errorf("%s %d: %w", name, k, err)
		}
		within := 0
		for c, e := range judge.traces {
			if k >= 0 && e.rounds > k {
				continue
			}
			within++
			if s.traces[c] != e {
				return 0, fmt.Errorf("%s %d: trace %x leads to %+v, not to %+v", name, k, c, s.traces[c], e)
			}
		}
		if !s.stats.Complete || len(s.traces) != within || int(s.stats.Executions) != within {
			return 0, fmt.Errorf("%s %d: %+v, %d traces, %d are there", name, k, s.stats, len(s.traces), within)
		}
	}
	return judge.settled, nil
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

// The findings of TestSpins, as in findings_test.go.
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

// retries draws programs of two or three threads. Some read a variable, do more,
// and begin again if it was changed meanwhile.
func retries() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		p := &model.Program{Bytes: 24, Standing: true, Budget: 8, Calm: pick(t, "calm", 2) > 0}
		for i, n := 0, 2+pick(t, "threads", 2); i < n; i++ {
			var code []model.Instr
			some := func(codes ...model.Code) {
				in := model.Instr{Code: codes[pick(t, "code", len(codes))], A: 8 * pick(t, "variable", 3), R: 2, C: int64(pick(t, "value", 3))}
				if in.Code == model.CompareEx {
					in.D = 1
				}
				code = append(code, in)
			}
			if i > 0 && (i == n-1 || pick(t, "retries", 2) > 0) {
				for k := pick(t, "before", 2); k > 0; k-- {
					some(model.Store, model.Load)
				}
				head, a := len(code), 8*pick(t, "watched", 3)
				code = append(code, model.Instr{Code: model.Load, A: a})
				for k := pick(t, "between", 3); k > 0; k-- {
					some(model.Load, model.CompareEx, model.Load, model.Store, model.Exchange, model.Yield)
				}
				code = append(code, model.Instr{Code: model.Load, A: a, R: 1})
				for k := pick(t, "then", 2); k > 0; k-- {
					some(model.Load, model.Load, model.Yield)
				}
				code = append(code, model.Instr{Code: model.Call, F: func(r *[model.NumRegs]int64) { r[0], r[1], r[2] = r[0]-r[1], 0, 0 }},
					model.Instr{Code: model.JumpIf, A: len(code) + 4}, model.Instr{Code: model.Set}, model.Instr{Code: model.Jump, A: head})
			} else {
				some(model.Store, model.Exchange)
			}
			for k := pick(t, "after", 2); k > 0; k-- {
				some(model.Store, model.Load, model.Store, model.Exchange, model.CompareEx)
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// TestSettledSpins is TestSpins, on programs in which traces say by themselves that a
// thread waited for nothing.
func TestSettledSpins(t *testing.T) {
	settled := 0
	onRandom(t, retries(), func(p *model.Program) error {
		n, err := checkedSpins(p)
		if n > 0 {
			settled++
		}
		return err
	})
	t.Logf("%d with spins that the trace settles", settled)
	if settled == 0 && !testing.Short() {
		t.Error("no program has a spin that the trace settles")
	}
}

// TestSettledSpin: a thread that reads a variable twice, and begins again because
// another changed it in between, waits for nothing. So what it read besides makes no
// trace of its own, and trust has the traces of optimal.
func TestSettledSpin(t *testing.T) {
	p := &settledSpin
	if err := checkSpins(p); err != nil {
		t.Error(err)
	}
	for _, search := range []string{"optimal", "trust"} {
		s, err := explore(search, p, single)
		if err != nil || s.stats.Executions != settledTraces || s.stats.Blocked != 0 {
			t.Errorf("%s: %+v, %v; want %d executions", search, s.stats, err, settledTraces)
		}
	}
}

// settledSpin has as many traces as there are orders of what reads and writes the
// same byte. By hand: x is read twice before the change (one turn), twice after it
// (one), or changes in between (a second turn, after the change). And y is read
// once or twice, and its store comes before, between or after.
var settledSpin = model.Program{Bytes: 16, Standing: true, Threads: [][]model.Instr{
	{{Code: model.Store, C: 1}},
	{{Code: model.Load}, {Code: model.Load, A: 8, R: 2}, {Code: model.Load, R: 1},
		{Code: model.Call, F: func(r *[model.NumRegs]int64) { r[0], r[1], r[2] = r[0]-r[1], 0, 0 }},
		{Code: model.JumpIf, A: 7}, {Code: model.Set}, {Code: model.Jump}},
	{{Code: model.Store, A: 8, C: 1}},
}}

const settledTraces = 2 + 2 + 3
