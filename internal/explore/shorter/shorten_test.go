package shorter

import (
	"testing"

	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// counter is a guest of some threads. Each adds to a number a few times: a step reads it, the next
// one writes it. It fails at its end if an addition is lost.
type counter struct {
	threads []adder
	number  int
	marks   []counter
	rounds  int
	steps   int // that were run
	most    int // that may be run; 0: any number
}

// adder is a thread: how many steps it has made, and what it has read.
type adder struct{ at, read int }

func newCounter(threads, rounds int) *counter {
	return &counter{threads: make([]adder, threads), rounds: rounds}
}

func (c *counter) copy() counter {
	return counter{threads: append([]adder(nil), c.threads...), number: c.number}
}

func (c *counter) Present() *trace.Present {
	var now trace.Present
	for t := range c.threads {
		th := trace.Thread{ID: trace.TID(t), Status: trace.Ready}
		if c.threads[t].at == 2*c.rounds {
			th.Status = trace.Exited
		}
		now.Threads = append(now.Threads, th)
	}
	return &now
}

func (c *counter) Step(t trace.TID, _ trace.Choice) (*trace.Transition, error) {
	c.steps++
	th := &c.threads[t]
	if th.at%2 == 0 {
		th.read = c.number
	} else {
		c.number = th.read + 1
	}
	th.at++
	return &trace.Transition{Thread: t, Begin: uint64(th.at - 1), Last: uint64(th.at)}, nil
}

// Take goes on to the step's limit, or the thread's end, in a stride.
func (c *counter) Take(p *por.PathStep) (*trace.Transition, error) {
	tr, err := c.Step(p.Thread, p.Choice)
	for p.Stride != 0 && tr.Last < uint64(2*c.rounds) && (p.Limit == 0 || tr.Last < p.Limit) {
		next, _ := c.Step(p.Thread, p.Choice)
		tr.Last = next.Last
	}
	return tr, err
}

func (c *counter) Mark() trace.Mark {
	c.marks = append(c.marks, c.copy())
	return trace.Mark(len(c.marks) - 1)
}

func (c *counter) Rewind(k trace.Mark) {
	old := c.marks[k]
	c.threads, c.number = append(c.threads[:0], old.threads...), old.number
}

func (c *counter) Position(t trace.TID) scheduler.Position {
	return scheduler.Position{Insns: uint64(c.threads[t].at)}
}

func (c *counter) Stuck(bool) *scheduler.Failure {
	if c.number == len(c.threads)*c.rounds {
		return nil
	}
	return &scheduler.Failure{Kind: trace.Assertion, Message: "an addition is lost"}
}

func (c *counter) Failure(trace.TID) *scheduler.Failure           { return nil }
func (c *counter) Starts() []scheduler.Start                      { return nil }
func (c *counter) Wanted(f *scheduler.Failure) *scheduler.Failure { return f }
func (c *counter) PassedAs(string) *scheduler.Failure             { return nil }
func (c *counter) Key(f *scheduler.Failure) string                { return f.Message }
func (c *counter) Epoch() session.Epoch                           { return session.Epoch{} }
func (c *counter) IsArrival(trace.TID) bool                       { return false }
func (c *counter) Stop() bool                                     { return false }
func (c *counter) Count()                                         { c.steps++ }
func (c *counter) Cost() uint64                                   { return uint64(c.steps) }
func (c *counter) Spent() bool                                    { return c.most > 0 && c.steps >= c.most }
func (c *counter) Halve() (all func())                            { return func() {} }
func (c *counter) shortener(bug Bug, rules Rules) *Shortener      { return New(c, c, c, rules, bug) }
func (c *counter) found(t *testing.T, order ...trace.TID) (Bug, Rules) {
	t.Helper()
	rules := Rules{Root: c.Mark(), Unreadable: 1 << 20}
	var b Bug
	for i, id := range order {
		if i > 0 && order[i-1] != id && c.threads[order[i-1]].at < 2*c.rounds {
			b.Preemptions++
		}
		step := por.PathStep{Thread: id, Begin: uint64(c.threads[id].at), Preemption: i > 0 && order[i-1] != id && c.threads[order[i-1]].at < 2*c.rounds}
		tr, err := c.Step(id, 0)
		if err != nil {
			t.Fatal(err)
		}
		step.Last = tr.Last
		b.Path = append(b.Path, step)
	}
	f := c.Stuck(false)
	if f == nil {
		t.Fatal("no addition is lost")
	}
	b.Failure, b.Key = *f, c.Key(f)
	c.steps = 0
	return b, rules
}

// TestFewer: of an execution in which threads take turns at each step, the one preemption is left that
// the bug needs.
func TestFewer(t *testing.T) {
	c := newCounter(2, 3)
	bug, rules := c.found(t, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1)
	s := c.shortener(bug, rules)
	if !s.Fewer() || s.Lost || s.Bug.Preemptions != 1 || s.Bug.Key != bug.Key {
		t.Fatalf("%d preemptions are left of %d: %+v", s.Bug.Preemptions, bug.Preemptions, s.Bug)
	}
	c.Rewind(rules.Root)
	for _, p := range s.Bug.Path {
		if _, err := c.Step(p.Thread, p.Choice); err != nil {
			t.Fatal(err)
		}
	}
	if c.Stuck(false) == nil {
		t.Error("its execution has no bug")
	}
	if len(bug.Path) != 12 || bug.Path[1].Thread != 1 || bug.Preemptions != 10 {
		t.Errorf("the bug that was given has changed: %+v", bug)
	}
}

// TestFewerSpent: where nothing may be spent, the execution stays.
func TestFewerSpent(t *testing.T) {
	c := newCounter(2, 3)
	bug, rules := c.found(t, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1)
	c.most, rules.Unreadable = 1, 1
	c.steps = 1
	if s := c.shortener(bug, rules); s.Fewer() || s.Bug.Preemptions != bug.Preemptions {
		t.Errorf("%d preemptions of %d", s.Bug.Preemptions, bug.Preemptions)
	}
}

// TestAligned: an execution whose steps are others than those of the guest is run by its threads'
// turns, and has the guest's steps then.
func TestAligned(t *testing.T) {
	c := newCounter(2, 2)
	bug, rules := c.found(t, 0, 1, 1, 0, 0, 1, 0, 1)
	steps := len(bug.Path)
	var others []por.PathStep
	for _, p := range bug.Path {
		others = append(others, p, p)
	}
	bug.Path = others
	s := c.shortener(bug, rules)
	if s.align(); s.Lost || len(s.Bug.Path) != steps {
		t.Errorf("%d steps, and not %d; lost: %v", len(s.Bug.Path), steps, s.Lost)
	}
}

// TestNear: an execution that passes is found without a preemption that the bug needs.
func TestNear(t *testing.T) {
	c := newCounter(2, 1)
	bug, rules := c.found(t, 0, 1, 1, 0)
	s := c.shortener(bug, rules)
	path := s.Near(func() bool { return true })
	if len(path) != 4 || path[0].Thread != path[1].Thread || path[2].Thread != path[3].Thread {
		t.Errorf("the execution is %+v", path)
	}
	if path := c.shortener(bug, rules).Near(func() bool { return false }); path != nil {
		t.Errorf("none is found well, but %+v", path)
	}
}

// TestStrides: three threads add 1,000 times each, and lose additions at a hundred preemptions. One suffices, at any that
// comes between a read and a write. Each execution is a few steps long.
func TestStrides(t *testing.T) {
	c := newCounter(3, 1000)
	rules := Rules{Root: c.Mark(), Unreadable: 1 << 20, Parts: map[Place]uint32{}}
	var b Bug
	for i := 0; c.threads[0].at < 2000 || c.threads[1].at < 2000 || c.threads[2].at < 2000; i++ {
		id := trace.TID(i % 3)
		at := uint64(c.threads[id].at)
		if at == 2000 {
			continue
		}
		step := por.PathStep{Thread: id, Begin: at, Stride: 1, Limit: min(at+uint64(40+i%5), 2000)}
		if last := LastOf(b.Path); len(b.Path) > 0 && last != id && c.threads[last].at < 2000 {
			step.Preemption = true
			b.Preemptions++
		}
		tr, _ := c.Take(&step)
		step.Last = tr.Last
		b.Path = append(b.Path, step)
	}
	f := c.Stuck(false)
	if f == nil || b.Preemptions < 100 {
		t.Fatalf("%v after %d preemptions", f, b.Preemptions)
	}
	b.Failure, b.Key = *f, c.Key(f)
	s := c.shortener(b, rules)
	if !s.Fewer() || s.Bug.Preemptions != 1 || len(s.Bug.Path) > 10 {
		t.Errorf("%d preemptions in %d steps", s.Bug.Preemptions, len(s.Bug.Path))
	}
}
