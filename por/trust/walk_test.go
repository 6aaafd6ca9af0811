package trust

import (
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"
	"landgo/por/relation"
)

// tally counts the ends of a walk, and stops it after this many polls.
type tally struct {
	ends  [Beyond + 1]int
	polls int
}

func (c *tally) Poll() bool { c.polls--; return c.polls == 0 }

func (c *tally) Ended(e *End) bool { c.ends[e.How]++; return true }

func (c *tally) RunOut(*trace.Transition) (bool, error) { return false, nil }

func never() (bool, error) { return false, nil }

var all = Config{Limit: -1, OneEvent: true, Unmerged: true}

// TestWalk: each trace is visited once, within a number of rounds those that need no more.
func TestWalk(t *testing.T) {
	for _, c := range []struct {
		name string
		prog *model.Program
		want [5]int // within 1 to 4 rounds, and in all
	}{
		{"micro 2 3", model.Micro(2, 3), [5]int{1, 43, 304, 653, 736}},
		{"mutex_inc 4 1", model.MutexInc(4, 1), [5]int{1, 12, 23, 24, 24}},
		{"two_cells 2", model.TwoCells(2), [5]int{1, 14, 22, 22, 22}},
	} {
		for k, want := range c.want {
			cfg := all
			if cfg.Limit = int32(k) + 1; k == 4 {
				cfg.Limit = -1
			}
			var got tally
			w := New(cfg)
			w.Begin(model.New(c.prog), &got)
			if over, err := w.Explore(false, never); err != nil || !over || got.ends[Whole] != want {
				t.Errorf("%s, limit %d: %v, %v, %v; want %d", c.name, cfg.Limit, got.ends, over, err, want)
			}
		}
	}
}

// numbers are a walk at rest.
type numbers struct {
	all     []uint64
	steps   []relation.Step
	refused bool
}

func (n *numbers) Put(all ...uint64) { n.all = append(n.all, all...) }

func (n *numbers) PutStep(s *relation.Step) {
	var own relation.Step
	own.Copy(&s.Event)
	n.steps = append(n.steps, own)
}

func (n *numbers) Get() uint64 {
	if len(n.all) == 0 {
		n.refused = true
		return 0
	}
	v := n.all[0]
	n.all = n.all[1:]
	return v
}

func (n *numbers) Below(limit uint64) uint64 {
	v := n.Get()
	n.refused = n.refused || v >= limit
	return v
}

func (n *numbers) Length() int { return int(n.Below(1 << 20)) }

func (n *numbers) Step() relation.Step {
	s := n.steps[0]
	n.steps = n.steps[1:]
	return s
}

func (n *numbers) Refuse()       { n.refused = true }
func (n *numbers) Refused() bool { return n.refused }

// TestRests: a walk that rests after every few steps, is written, read and divided, visits
// what one does that is left alone.
func TestRests(t *testing.T) {
	for _, limit := range []int32{-1, 1, 2} {
		cfg := all
		cfg.Limit = limit
		prog := model.Micro(2, 3)
		var want, got tally
		w := New(cfg)
		w.Begin(model.New(prog), &want)
		if _, err := w.Explore(false, never); err != nil {
			t.Fatal(err)
		}
		w.Begin(model.New(prog), &got)
		left, divided := []*Rest{w.Suspend()}, 0
		for len(left) > 0 {
			bytes := &numbers{}
			left[0].Write(bytes)
			p := Read(bytes)
			if left = left[1:]; bytes.refused || len(bytes.all)+len(bytes.steps) > 0 {
				t.Fatal("a walk at rest can't be read")
			}
			w := New(cfg)
			w.Begin(model.New(prog), &got)
			if err := w.Resume(p); err != nil {
				t.Fatal(err)
			}
			w.Used = 0
			over, err := w.Explore(p.Done, func() (bool, error) { return w.Used >= 40, nil })
			switch {
			case err != nil:
				t.Fatal(err)
			case over:
			case w.Divisible() && len(left) < 4:
				inner, rest, err := w.Divide()
				if err != nil {
					t.Fatal(err)
				}
				divided++
				left = append(left, inner, rest)
			default:
				left = append(left, w.Suspend())
			}
		}
		if got.ends != want.ends || divided < 5 {
			t.Errorf("limit %d: %v with %d divisions, %v in one go", limit, got.ends, divided, want.ends)
		}
	}
}

// TestStops: a walk ends where its search says so.
func TestStops(t *testing.T) {
	got := tally{polls: 2}
	w := New(all)
	w.Begin(model.New(model.Micro(2, 3)), &got)
	if over, err := w.Explore(false, never); err != nil || over || !w.Over() || w.Used < 2*pollSteps || w.Used > 3*pollSteps {
		t.Errorf("%v, %v after %d steps", over, err, w.Used)
	}
}
