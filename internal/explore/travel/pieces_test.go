package travel

import (
	"slices"
	"testing"

	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// TestTicks counts ticks between places: the part of an instruction that is left half done is one.
func TestTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to scheduler.Position
		want     uint64
	}{
		{scheduler.Position{Insns: 5}, scheduler.Position{Insns: 5}, 0},
		{scheduler.Position{Insns: 5}, scheduler.Position{Insns: 8}, 3},
		{scheduler.Position{Insns: 5}, scheduler.Position{Insns: 5, Part: 1}, 1},
		{scheduler.Position{Insns: 5}, scheduler.Position{Insns: 7, Part: 1}, 3},
		{scheduler.Position{Insns: 5, Part: 1}, scheduler.Position{Insns: 6}, 1},
		{scheduler.Position{Insns: 5, Part: 1}, scheduler.Position{Insns: 5, Part: 2}, 1},
		{scheduler.Position{Insns: 5, Part: 1}, scheduler.Position{Insns: 5, Part: 1}, 0},
	} {
		if got := ticksBetween(c.from, c.to); got != c.want {
			t.Errorf("%+v to %+v: %d, want %d", c.from, c.to, got, c.want)
		}
	}
}

// TestFitted: a trail has a place for each tick of its piece, and no access later than its last.
func TestFitted(t *testing.T) {
	t.Parallel()
	long := (&trail{pcs: []uint64{1, 2, 3}, accesses: []access{{tick: 0}, {tick: 2}}}).fitted(&piece{ticks: 2})
	if !slices.Equal(long.pcs, []uint64{1, 2}) || long.accesses[0].tick != 0 || long.accesses[1].tick != 1 {
		t.Errorf("%+v", long)
	}
	short := (&trail{pcs: []uint64{1, 2}}).fitted(&piece{ticks: 4, from: scheduler.Position{Part: 1}})
	if !slices.Equal(short.pcs, []uint64{1, 2, 2, 2}) || !short.resumed || short.halved || !short.continues(0) || short.continues(1) || !short.completes(3) {
		t.Errorf("%+v", short)
	}
	none := (&trail{pcs: []uint64{1}, accesses: []access{{tick: 0}}}).fitted(&piece{to: scheduler.Position{Part: 1}})
	if len(none.pcs) != 0 || len(none.accesses) != 0 || !none.halved || none.completes(0) {
		t.Errorf("%+v", none)
	}
}

// TestKeep: trails beyond the bound are forgotten, the oldest first, but never the latest.
func TestKeep(t *testing.T) {
	t.Parallel()
	k := trails{of: map[int]*trail{}}
	k.keep(3, &trail{pcs: make([]uint64, 2)})
	k.keep(1, &trail{pcs: make([]uint64, 1)})
	k.bytes += keepTrails - 24 // as if there were many
	k.keep(2, &trail{pcs: make([]uint64, 2), accesses: make([]access, 1)})
	if len(k.of) != 1 || k.of[2] == nil || !slices.Equal(k.order, []int{2}) {
		t.Errorf("%+v", k)
	}
}

// TestPieceAt: a moment is in the piece of its next tick.
func TestPieceAt(t *testing.T) {
	t.Parallel()
	run := made()
	var got []int
	for at := range run.total + 1 {
		got = append(got, run.pieceAt(at))
	}
	if want := []int{0, 0, 0, 1, 1, 2, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if pcs := []uint64{run.PCAt(0), run.PCAt(4), run.PCAt(5), run.PCAt(7), run.PCAt(8)}; !slices.Equal(pcs, []uint64{0x10, 0x21, 0x13, 0x15, 0}) {
		t.Errorf("%#x", pcs)
	}
}

// TestIsBug: which failure of the run that is followed is the bug that was found. A race and a wrong output
// are none of a run's own.
func TestIsBug(t *testing.T) {
	t.Parallel()
	failure := &scheduler.Failure{Kind: trace.Assertion, Message: "x"}
	for _, c := range []struct {
		bug     *result.Bug
		failure *scheduler.Failure
		want    bool
	}{
		{nil, nil, true},
		{nil, failure, false},
		{&result.Bug{Kind: trace.Assertion, Message: "x"}, failure, true},
		{&result.Bug{Kind: trace.Assertion, Message: "y"}, failure, false},
		{&result.Bug{Kind: trace.Segfault, Message: "x"}, failure, false},
		{&result.Bug{Kind: trace.Assertion, Message: "x"}, nil, false},
		{&result.Bug{Kind: trace.Race}, nil, true},
		{&result.Bug{Kind: trace.Output}, nil, true},
		{&result.Bug{Kind: trace.Race}, failure, false},
	} {
		if got := (&Travel{bug: c.bug}).isBug(c.failure); got != c.want {
			t.Errorf("%+v of %+v: %v", c.failure, c.bug, got)
		}
	}
	run := made()
	if !run.allNamed(run.sched) || run.allNamed(trace.Schedule{Segments: run.sched.Segments[:1]}) {
		t.Error("a schedule without thread 0.1 names all")
	}
}
