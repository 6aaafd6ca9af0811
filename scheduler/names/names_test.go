package names

import (
	"slices"
	"strings"
	"testing"

	"landgo/internal/trace"
)

// TestNames: a thread's name is its place in the tree of creations, and there is an end of them.
func TestNames(t *testing.T) {
	n := New(4, false)
	for _, tc := range []struct {
		parent  trace.TID
		ordinal uint64
		name    string
	}{{0, 1, "0.1"}, {1, 2, "0.1.2"}, {0, 1, "0.1"}, {0, Timer(0), "0." + trace.TimerMark + "1"}} {
		id, err := n.Intern(tc.parent, tc.ordinal)
		if err != nil || n.Name(id) != tc.name {
			t.Fatalf("child %d of %d: %v, %v", tc.ordinal, tc.parent, id, err)
		}
		if again, ok := n.Lookup(tc.name); !ok || again != id {
			t.Errorf("%s is %d, then %d", tc.name, id, again)
		}
		if again, ok := n.Find(tc.parent, tc.ordinal); !ok || again != id {
			t.Errorf("child %d of %d is %d, then %d", tc.ordinal, tc.parent, id, again)
		}
	}
	if _, ok := n.Find(1, 1); ok {
		t.Error("a thread that was never met has a number")
	}
	if _, err := n.Intern(0, 7); err == nil || !strings.Contains(err.Error(), "more than 4 threads") {
		t.Errorf("a fifth thread: %v", err)
	}
}

// TestLearn: names that are learned have the numbers that they had, with all that isn't a child.
func TestLearn(t *testing.T) {
	for _, buffers := range []bool{false, true} {
		n := New(100, buffers)
		met := func(parent trace.TID, ordinal uint64) trace.TID {
			id, err := n.Intern(parent, ordinal)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		first := met(0, 1)
		met(first, 3)
		met(first, Arrival)
		met(0, 12)
		if buffers {
			met(first, Drain(0))
		} else {
			met(0, Timer(1))
		}
		o := New(100, buffers)
		if err := o.Learn(n.All()); err != nil || !slices.Equal(o.All(), n.All()) {
			t.Fatalf("%q are learned as %q: %v", n.All(), o.All(), err)
		}
		parents, ordinals := n.Births()
		ofOther, again := o.Births()
		if !slices.Equal(parents, ofOther) || !slices.Equal(ordinals, again) {
			t.Errorf("births %v %v, learned %v %v", parents, ordinals, ofOther, again)
		}
		if err := o.Learn(n.All()[:3]); err != nil || o.Len() != n.Len() {
			t.Errorf("what is known is learned again: %v", err)
		}
	}
}

// TestLearnOther: another numbering is refused, and so is a text that is no name.
func TestLearnOther(t *testing.T) {
	for _, all := range [][]string{{"1"}, {"0", "0.2.1"}, {"0", "0.1", "0.1"}, {"0", "0.x"}, {"0", "0.9" + trace.ArrivalMark}} {
		if err := New(100, false).Learn(all); err == nil {
			t.Errorf("%q are learned", all)
		}
	}
	if err := New(100, true).Learn([]string{"0"}); err != nil {
		t.Error(err)
	}
	if err := New(100, true).Learn([]string{"0", "0.1"}); err == nil {
		t.Error("a thread has the number of a buffer")
	}
}
