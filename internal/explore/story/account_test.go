package story

import (
	"slices"
	"testing"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestEdges: an operation comes after the latest one of another thread on its object, unless its own
// thread has made one since. A join comes after the thread's end. A thread's first step comes after
// its creation.
func TestEdges(t *testing.T) {
	const lock, other = 64, 128
	e := newEdges()
	op := func(kind trace.OpKind, obj uint64) trace.Op { return trace.Op{Kind: kind, Obj: obj, Size: 4} }
	for i, c := range []struct {
		by    trace.TID
		op    trace.Op
		after []int
	}{
		{1, trace.Op{Kind: trace.OpCreate, Obj: 2}, nil},
		{1, op(trace.OpLock, lock), nil},
		{2, op(trace.OpLock, lock), []int{2}},
		{2, op(trace.OpUnlock, lock), nil}, // its own comes after that already
		{1, op(trace.OpLock, lock), []int{4}},
		{2, op(trace.OpLock, other), nil},
		{2, trace.Op{Kind: trace.OpExit}, nil},
		{1, trace.Op{Kind: trace.OpJoin, Obj: 2}, []int{7}},
	} {
		if got := e.after(c.op, c.by, i+1); !slices.Equal(got, c.after) {
			t.Errorf("step %d: after %v, and not %v", i+1, got, c.after)
		}
	}
	if first, again := e.born(2), e.born(2); first != 1 || again != 0 {
		t.Errorf("thread 2 is born in step %d, then in %d", first, again)
	}
}

// TestWaitCycle: the owners of what threads wait for lead back to the first of a cycle. A thread that
// only waits for one in the cycle isn't in it.
func TestWaitCycle(t *testing.T) {
	waits := []result.Wait{{Thread: "1.3", Owner: "1.1"}, {Thread: "1.1", Owner: "1.2"}, {Thread: "1.2", Owner: "1.1"}, {Thread: "1", Owner: ""}}
	if got, want := waitCycle(waits), []string{"1.1", "1.2"}; !slices.Equal(got, want) {
		t.Errorf("the cycle is %v, and not %v", got, want)
	}
	if got := waitCycle([]result.Wait{waits[0], waits[1], {Thread: "1.2", Owner: "1"}, waits[3]}); got != nil {
		t.Errorf("there is none: %v", got)
	}
}

// TestRootFrame: what a thread runs is the user's outermost function that isn't in assembler.
func TestRootFrame(t *testing.T) {
	stack := []result.Frame{
		{Function: "work", File: "a.c"}, {Function: "loop", File: "a.c"}, {Function: "begin", File: "start.S"}, {Function: "clone", File: "clone.c", Library: true}, {Function: "none"},
	}
	for n, want := range map[int]string{0: "loop", 2: "begin", 3: ""} {
		if got := rootFrame(stack[n:]); got.Function != want {
			t.Errorf("of the frames from %s: %q, and not %q", stack[n].Function, got.Function, want)
		}
	}
}

// TestNumbers: what looks like a number is one for a person, with its sign; what looks like an
// address isn't.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v     uint64
		size  uint32
		text  string
		small bool
	}{
		{7, 4, "7", true}, {0xffffffff, 4, "-1", true}, {0xffff, 2, "65535", true}, {0xffffffffffffff00, 8, "-256", true},
		{0x7fff00001000, 8, "0x7fff00001000", false},
	} {
		if text, small := Number(c.v, c.size); text != c.text || small != c.small {
			t.Errorf("%#x of %d bytes: %q, %v", c.v, c.size, text, small)
		}
	}
}
