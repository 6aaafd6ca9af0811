package por

import (
	"math/rand"
	"slices"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"
	"landgo/por/relation"
)

// TestFrontier: what goes in comes out in order, from memory and from the
// file, and not much is in memory.
func TestFrontier(t *testing.T) {
	for _, entries := range []int{0, 1, 1000, 400_000} {
		rnd := rand.New(rand.NewSource(1))
		var f frontier
		var path []frontierStep
		var want []int // lengths, and a sum of each path
		for i := 0; i < entries; i++ {
			shared := min(len(path), rnd.Intn(20))
			path = path[:shared]
			n := 1 + rnd.Intn(4)
			f.begin(shared, n)
			for ; n > 0; n-- {
				s := frontierStep{trace.TID(rnd.Intn(300)), trace.Choice(max(0, rnd.Intn(9)-6))}
				path = append(path, s)
				f.add(s.thread, s.choice)
			}
			want = append(want, sum(path))
			if err := f.spill(); err != nil {
				t.Fatal(err)
			}
		}
		if len(f.buf) > 2*frontierMemory || (f.file != nil) != (entries == 400_000) {
			t.Errorf("%d entries: %d bytes in memory, file %v", entries, len(f.buf), f.file)
		}
		var got []int
		for {
			_, ok, err := f.next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			got = append(got, sum(f.path))
		}
		f.drop()
		if !slices.Equal(got, want) {
			t.Errorf("%d entries: %d read back, or different ones", entries, len(got))
		}
	}
}

// TestChunks: the trees of a frontier's chunks have its entries for leaves, in
// order, and only those are new. A pool that gets all branches back keeps no more
// than it may.
func TestChunks(t *testing.T) {
	rnd := rand.New(rand.NewSource(2))
	var f frontier
	var path []frontierStep
	var want []int
	for i := trace.TID(0); len(want) < 20_000; {
		shared := max(0, min(len(path)-1, rnd.Intn(20)))
		path = path[:shared]
		n := 1 + rnd.Intn(4)
		f.begin(shared, n)
		for ; n > 0; n-- {
			s := frontierStep{i, trace.Choice(rnd.Intn(2))}
			path = append(path, s)
			f.add(s.thread, s.choice)
			i++
		}
		want = append(want, sum(path))
	}
	var p pool
	var got, chunks []int
	var leaves func(way []frontierStep, b *branch)
	leaves = func(way []frontierStep, b *branch) {
		for ; b != nil; b = b.next {
			here := append(slices.Clone(way), frontierStep{b.Thread, b.Choice})
			if b.again != (b.kids != nil) {
				t.Fatalf("%v: run before: %v", here, b.again)
			}
			if b.kids == nil {
				got = append(got, sum(here))
			}
			leaves(here, b.kids)
		}
	}
	for {
		c, err := f.chunk()
		if err != nil {
			t.Fatal(err)
		}
		if c == nil {
			break
		}
		chunks = append(chunks, len(c.ends))
		var other pool // another worker's
		tree := c.tree(&other)
		leaves(nil, tree)
		p.putAll(tree)
	}
	f.drop()
	entries := 0
	for _, n := range chunks {
		entries += n
	}
	if !slices.Equal(got, want) || entries != len(want) || len(chunks) < 10 {
		t.Errorf("%d entries in chunks of %v, %d leaves, want %d", entries, chunks, len(got), len(want))
	}
	if len(p.free) != relation.PoolSpare {
		t.Errorf("the pool keeps %d branches", len(p.free))
	}
}

func sum(path []frontierStep) int {
	n := len(path)
	for _, s := range path {
		n = n*31 + int(s.thread)*7 + int(s.choice)
	}
	return n
}

// TestFewReplays: going from one entry of a frontier to the next costs little. Each
// step that is run to come back to a place is one of the few since the last state
// that the two share.
func TestFewReplays(t *testing.T) {
	s, err := New("bounded", Options{Bounds: Bounds{{Preempt, 3}}, Iterate: true})
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.Run(model.New(model.Micro(2, 4)), &tally{})
	if err != nil || !st.Complete {
		t.Fatal(st, err)
	}
	t.Logf("%+v", st)
	if 2*st.Replayed > st.Transitions {
		t.Errorf("%d steps replayed for %d run", st.Replayed, st.Transitions)
	}
}
