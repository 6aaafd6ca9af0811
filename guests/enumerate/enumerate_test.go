package enumerate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"landgo/internal/trace"
)

// naive runs every interleaving to its end, one by one, and keeps each trace's
// canonical form as text: nothing is merged, hashed or left out. Full and Count
// have to agree with it.
type naive struct {
	traces map[string]int // with the least preemptions
	bugs   map[Bug]int
	left   int // interleavings that it may still run
}

func runNaive(p *Program, most int) (*naive, bool) {
	n := &naive{traces: map[string]int{}, bugs: map[Bug]int{}, left: most}
	n.run(newState(p), nil, 0, 0)
	return n, n.left > 0
}

type taken struct {
	thread, index, outcome int
	uses                   []use
}

func (n *naive) run(s *state, events []taken, last, price int) {
	if n.left <= 0 {
		return
	}
	var kind Kind
	any := false
	if s.ended {
		kind = s.bug
	} else {
		for t := range s.threads {
			if !s.ready(t) {
				continue
			}
			any = true
			cost := price
			if t != last && s.threads[last].life == running && s.ready(last) && !s.free(last) {
				cost++
			}
			for o := range s.outcomes(t) {
				next := s.clone()
				index := s.threads[t].done
				uses := next.step(t, o)
				n.run(next, append(slices.Clip(events), taken{t, index, o, uses}), t, cost)
			}
		}
		if any {
			return
		}
		kind = s.stuck()
	}
	n.left--
	form := canonical(events)
	if old, ok := n.traces[form]; !ok || price < old {
		n.traces[form] = price
	}
	if kind != "" {
		b := Bug{Kind: kind, Message: s.message}
		if old, ok := n.bugs[b]; !ok || price < old {
			n.bugs[b] = price
		}
	}
}

// canonical lists each event with the dependent events before it, by thread and
// index, whatever the order in which they were run.
func canonical(events []taken) string {
	var lines []string
	for i, e := range events {
		var before []string
		for _, d := range events[:i] {
			if d.thread != e.thread && anyDependent(d.uses, e.uses) {
				before = append(before, fmt.Sprint(d.thread, ".", d.index))
			}
		}
		slices.Sort(before)
		lines = append(lines, fmt.Sprint(e.thread, ".", e.index, "/", e.outcome, before))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func compare(t *testing.T, p *Program, n *naive) Result {
	t.Helper()
	r, err := Full(p, trace.MemPoints)
	if err != nil {
		t.Fatal(err)
	}
	if r.Traces != len(n.traces) {
		t.Errorf("Full counts %d traces, there are %d", r.Traces, len(n.traces))
	}
	within := make([]int, len(r.Within))
	for _, price := range n.traces {
		for k := price; k < len(within); k++ {
			within[k]++
		}
	}
	if !slices.Equal(within, r.Within) {
		t.Errorf("Full has %v traces within 0, 1, ... preemptions, there are %v", r.Within, within)
	}
	bugs := map[Bug]int{}
	for _, b := range r.Bugs {
		bugs[Bug{Kind: b.Kind, Message: b.Message}] = b.Preemptions
	}
	if !maps.Equal(bugs, n.bugs) {
		t.Errorf("Full finds %v, there are %v", bugs, n.bugs)
	}
	if c, err := Count(p); err != nil || c != len(n.traces) {
		t.Errorf("Count gives %d (%v), there are %d", c, err, len(n.traces))
	}
	return r
}

// random is a program of two or three workers with a few statements each.
func random(r *rand.Rand) *Program {
	p := &Program{Memory: make([]int, 2), Mutexes: 2, Conds: 1, Sems: []int{1}, RWLocks: 1, Barriers: []int{2}, Onces: 1}
	one := func() Stmt {
		at := N(r.IntN(2))
		switch r.IntN(16) {
		case 0, 1:
			return Load(0, at)
		case 2, 3:
			return Store(at, N(r.IntN(3)))
		case 4:
			return FetchAdd(0, at, N(1))
		case 5:
			return CompareExchange(1, at, N(0), N(1))
		case 6:
			return Do(Seq(Lock(N(0)), Store(at, N(1)), Unlock(N(0))))
		case 7:
			return Do(Seq(Lock(N(1)), Lock(N(0)), Unlock(N(0)), Unlock(N(1))))
		case 8:
			return Do(Seq(TryLock(2, N(1)), If(Eq(R(2), N(1)), Unlock(N(1)))))
		case 9:
			return Do(Seq(Down(N(0)), Load(0, at), Up(N(0))))
		case 10:
			return Do(Seq(Lock(N(0)), Wait(N(0), N(0)), Unlock(N(0))))
		case 11:
			return Signal(N(0))
		case 12:
			return Do(Seq(ReadLock(N(0)), Load(0, at), ReadUnlock(N(0))))
		case 13:
			return Do(Seq(Load(3, at), Assert(Ne(R(3), N(2)), "not two")))
		case 14:
			return Await(4, at, func(r *Regs) bool { return r[4] != 1 })
		default:
			return Yield()
		}
	}
	workers := make([][]Stmt, 2+r.IntN(2))
	main := Seq()
	for i := range workers {
		for range 4 - len(workers) + r.IntN(2) {
			workers[i] = append(workers[i], one())
		}
		main = append(main, Create(i+1))
	}
	if r.IntN(8) > 0 { // else an early end of the process
		for i := range workers {
			main = append(main, Join(i+1))
		}
	}
	p.Threads = append([][]Stmt{main}, workers...)
	return p
}

// TestRandom compares with one by one on random programs, and asserts that they
// are no trivial ones.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	compared, many, buggy, early := 0, 0, 0, 0
	for i := 0; compared < 50; i++ {
		p := random(r)
		n, done := runNaive(p, 5_000)
		if !done {
			continue
		}
		compared++
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			res := compare(t, p, n)
			if res.Traces >= 4 {
				many++
			}
			if len(res.Bugs) > 0 {
				buggy++
			}
			if len(p.Threads[0]) == len(p.Threads)-1 {
				early++
			}
		})
	}
	if many < compared/4 || buggy < compared/6 || early < compared/20 {
		t.Errorf("of %d programs %d have 4 traces or more, %d a bug, %d an early end: too tame", compared, many, buggy, early)
	}
}

// TestByHand has numbers that need no program.
func TestByHand(t *testing.T) {
	pair := func(p Program, a, b []Stmt) *Program {
		p.Threads = [][]Stmt{Seq(Create(1), Create(2), Join(1), Join(2)), a, b}
		return &p
	}
	cell := []int{0}
	for _, c := range []struct {
		name   string
		p      *Program
		traces int
		within []int
		bugs   []Bug
	}{
		{"two loads", pair(Program{Memory: cell}, Seq(Load(0, N(0))), Seq(Load(0, N(0)))), 1, []int{1}, nil},
		{"two silent stores", pair(Program{Memory: cell}, Seq(Store(N(0), N(0))), Seq(Store(N(0), N(0)))), 2, []int{2}, nil},
		{"failing compare-exchanges", pair(Program{Memory: cell},
			Seq(CompareExchange(0, N(0), N(1), N(2))), Seq(CompareExchange(0, N(0), N(1), N(2)))), 1, []int{1}, nil},
		{"two posts", pair(Program{Sems: []int{0}}, Seq(Up(N(0))), Seq(Up(N(0)))), 1, []int{1}, nil},
		{"two read locks and releases", pair(Program{RWLocks: 1},
			Seq(ReadLock(N(0)), ReadUnlock(N(0))), Seq(ReadLock(N(0)), ReadUnlock(N(0)))), 1, []int{1}, nil},
		{"a poll: before the store or not", pair(Program{Memory: cell},
			Seq(Store(N(0), N(1))), Seq(Await(0, N(0), Eq(R(0), N(1))))), 2, []int{2}, nil},
		{"no writer to wait for", pair(Program{Memory: cell}, nil, Seq(Await(0, N(0), Eq(R(0), N(1))))), 1, []int{1},
			[]Bug{{Kind: Livelock}}},
		{"a semaphore that no thread posts", pair(Program{Sems: []int{0}}, nil, Seq(Down(N(0)))), 1, []int{1},
			[]Bug{{Kind: Deadlock}}},
		{"between two stores", pair(Program{Memory: cell}, Seq(Store(N(0), N(1)), Store(N(0), N(2))),
			Seq(Load(0, N(0)), Assert(Ne(R(0), N(1)), "seen"))), 6, []int{2, 6},
			[]Bug{{Assertion, "seen", 1}}},
		{"a yield between two stores", pair(Program{Memory: cell}, Seq(Store(N(0), N(1)), Yield(), Store(N(0), N(2))),
			Seq(Load(0, N(0)))), 3, []int{3}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Full(c.p, trace.MemPoints)
			if err != nil {
				t.Fatal(err)
			}
			if r.Traces != c.traces || !slices.Equal(r.Within, c.within) || !slices.Equal(r.Bugs, c.bugs) {
				t.Errorf("got %d %v %v, want %d %v %v", r.Traces, r.Within, r.Bugs, c.traces, c.within, c.bugs)
			}
		})
	}
}

// TestBackingOutIsNoSpin: a loop whose visible writes cancel out goes on for ever
// here, because the other thread can see between them. A rule that only looks at
// their sum would call it a livelock.
func TestBackingOutIsNoSpin(t *testing.T) {
	p := &Program{Memory: []int{1}, Threads: [][]Stmt{
		Seq(Loop([]int{0}, FetchAdd(0, N(0), N(1)), If(Eq(R(0), N(0)), Break()), FetchAdd(1, N(0), N(-1)), Set(1, N(0)))),
	}}
	s := newState(p)
	for range 50 {
		if !s.ready(0) {
			t.Fatal("a thread that changes memory was taken for a spinning one")
		}
		s.step(0, 0)
	}
}
