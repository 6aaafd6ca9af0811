package spins

import (
	"math/rand/v2"
	"slices"
	"testing"

	"landgo/internal/trace"
)

// lock is the way of a thread that adds 1 to a word, and takes that back where the sum is above most.
// Then it waits until the word is lower, if waits.
func lock(all []uint64, most uint64, waits bool) WayBack {
	head, back, wait := Spot{}, Spot{Poise{PC: 1}, 1}, Spot{Poise{PC: 2}, 0}
	w := WayBack{}
	for s, head := range map[Spot]bool{head: true, back: false, wait: false} {
		w[s] = &Place{Head: head, Added: s.Added, Next: map[uint64]Onto{}}
	}
	for _, v := range all {
		to := Onto{Out: Poise{PC: 9}}
		if v >= most {
			to = Onto{To: w[back]}
		}
		w[head].Next[v] = to
		w[back].Next[v] = Onto{To: w[wait]}
		w[wait].Next[v] = Onto{To: w[head]}
		if waits && v >= most {
			w[wait].Next[v] = Onto{To: w[wait]}
		}
	}
	return w
}

// TestJudge: tries of a lock fail from some value on, and no thread can tell those that do. Where a
// condition of this doesn't hold none is left out.
func TestJudge(t *testing.T) {
	values, moved := []uint64{0, 1, 2}, []uint64{0, 1}
	all := Found(values, moved, 4)
	for _, tc := range []struct {
		what   string
		change func(w WayBack)
		good   bool
	}{
		{"as it is", func(WayBack) {}, true},
		{"it leaves in another state with one value", func(w WayBack) { w[Spot{}].Next[1] = Onto{Out: Poise{PC: 8}} }, false},
		{"it works with more, and fails with less", func(w WayBack) { w[Spot{}].Next[3] = Onto{Out: Poise{PC: 9}} }, false},
		{"it may leave where it waits", func(w WayBack) { w[Spot{Poise{PC: 2}, 0}].Open = true }, false},
		{"it stays where it has added", func(w WayBack) {
			back := w[Spot{Poise{PC: 1}, 1}]
			back.Next[2] = Onto{To: back}
		}, false},
		{"it waits where a try would work", func(w WayBack) {
			wait := w[Spot{Poise{PC: 2}, 0}]
			wait.Next[0] = Onto{To: wait}
		}, false},
	} {
		w := lock(all, 2, true)
		tc.change(w)
		r := w.Judge(values, moved, 4)
		if r.Good != tc.good {
			t.Errorf("%s: %+v", tc.what, r)
		}
		if tc.what == "as it is" && (!slices.Equal(r.Added, []uint64{1}) || r.Fails[1] || !r.Fails[2] || !r.Fails[3]) {
			t.Errorf("%+v", r)
		}
	}
}

// TestSums: what threads may have added are the sums of one addition each, or none.
func TestSums(t *testing.T) {
	if got := Sums(map[trace.TID][]uint64{1: {1}, 2: {1, 0x100}}, 4); !slices.Equal(got, []uint64{0, 1, 2, 0x100, 0x101}) {
		t.Errorf("%x", got)
	}
	if got := Sums(map[trace.TID][]uint64{1: {0xff}, 2: {2}}, 1); !slices.Equal(got, []uint64{0, 1, 2, 0xff}) {
		t.Errorf("of bytes: %x", got)
	}
	many := map[trace.TID][]uint64{}
	for i := range trace.TID(7) {
		many[i] = []uint64{1 << i}
	}
	if got := Sums(many, 8); got != nil {
		t.Errorf("%d sums", len(got))
	}
	if got := Found([]uint64{0, 0xfe}, []uint64{0, 1, 2}, 1); !slices.Equal(got, []uint64{0, 1, 2, 0xfe, 0xff}) {
		t.Errorf("found: %x", got)
	}
	if Mask(8) != ^uint64(0) || Mask(4) != 0xffffffff {
		t.Errorf("masks %x, %x", Mask(8), Mask(4))
	}
}

// TestWrites compares what is remembered of writes with all of them, over what a search does.
func TestWrites(t *testing.T) {
	type done struct {
		addr, size uint64
		part       bool
		step       int32
		old        uint64
	}
	var w Writes
	var all []done
	var lens []int
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 4000 {
		if r.IntN(20) == 0 && len(all) > 0 {
			k := r.IntN(len(all))
			w.Cut(lens[k])
			all, lens = all[:k], lens[:k]
		}
		d := done{0x100 + 4*r.Uint64N(8), 4, r.IntN(8) == 0, int32(n), r.Uint64N(100)}
		if d.part {
			d.size = 1 + r.Uint64N(20)
		}
		lens = append(lens, w.Len())
		w.Add(d.step, d.addr, d.size, d.part, func(addr, size uint64) uint64 {
			if addr != d.addr || size != d.size {
				t.Fatalf("it asks for %d bytes at %#x", size, addr)
			}
			return d.old
		})
		all = append(all, d)
		a := trace.Access{Addr: 0x100 + 4*r.Uint64N(8), Size: 4}
		parts := false
		var steps []int32
		var olds []uint64
		for _, d := range slices.Backward(all) {
			in := d.addr < a.Addr+4 && a.Addr < d.addr+d.size
			whole := d.addr == a.Addr && d.size == 4
			parts = parts || in && (d.part || !whole)
			// A part of a larger write may be of just these bytes.
			if in && !d.part && whole {
				steps, olds = append(steps, d.step), append(olds, d.old)
			}
		}
		if w.InParts(&a) != parts {
			t.Fatalf("%d writes: in parts %v", len(all), !parts)
		}
		if parts {
			continue
		}
		i := 0
		for step, old := range w.Before(&a) {
			if i == len(steps) || step != steps[i] || old != olds[i] {
				t.Fatalf("the write %d is of step %d, and found %d", i, step, old)
			}
			i++
		}
		if i != len(steps) {
			t.Fatalf("%d writes of %d", i, len(steps))
		}
	}
}
