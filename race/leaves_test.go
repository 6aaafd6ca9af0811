package race

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"landgo/internal/trace"
)

// TestLeaves: clocks of few threads, of many, and of more and more come to what vectors do that
// are copied as a whole, and go back with a mark.
func TestLeaves(t *testing.T) {
	type model struct{ threads, objects [][]uint32 }
	copied := func(all [][]uint32) (c [][]uint32) {
		for _, v := range all {
			c = append(c, slices.Clone(v))
		}
		return c
	}
	for i, most := range []int{3, 33, 50, 200, 50, 200} {
		r := rand.New(rand.NewPCG(1, uint64(most)))
		d := newOrder(i < 4)
		const objects = 5
		var m model
		for range objects {
			m.objects = append(m.objects, make([]uint32, most))
		}
		var kept []model
		meets := func(a, b []uint32) {
			for i := range a {
				a[i] = max(a[i], b[i])
			}
		}
		for step := range 3000 {
			n := min(most, 2+step/8)
			if len(m.threads) > 0 && r.IntN(3) > 0 {
				n = len(m.threads)
			}
			th := r.IntN(n)
			for len(m.threads) <= th {
				m.threads = append(m.threads, make([]uint32, most))
				m.threads[len(m.threads)-1][len(m.threads)-1] = 1
				d.ensure(trace.TID(len(m.threads) - 1))
			}
			x := r.IntN(objects)
			slot := d.object(syncObject, uint64(x))
			switch r.IntN(8) {
			case 0:
				kept = append(kept, model{copied(m.threads), copied(m.objects)})
				d.mark(0, 0)
			case 1:
				if k := len(kept) - 1 - r.IntN(len(kept)+1)/4; k >= 0 && len(kept) > 0 {
					d.rewind(k)
					m = model{copied(kept[k].threads), copied(kept[k].objects)}
					kept = kept[:k+1]
					for i := range d.threads { // those that weren't there at the mark are made again
						d.ensure(trace.TID(i))
					}
					for i := len(m.threads); i < len(d.threads); i++ {
						m.threads = append(m.threads, make([]uint32, most))
						m.threads[i][i] = 1
					}
				}
			case 2, 3, 4:
				d.joinClock(trace.TID(th), d.slots[slot])
				meets(m.threads[th], m.objects[x])
			default:
				d.releaseTo(trace.TID(th), slot)
				meets(m.objects[x], m.threads[th])
				m.threads[th][th]++
			}
			same := func(what string, i int, clock int32, want []uint32) {
				for u := range d.threads {
					if got := d.at(clock, trace.TID(u)); got != want[u] {
						t.Fatalf("%d threads at most, step %d: %s %d has time %d of thread %d, not %d", most, step, what, i, got, u, want[u])
					}
				}
			}
			for i := range m.threads {
				same("thread", i, d.clockOf(trace.TID(i)), m.threads[i])
			}
			for i := range m.objects {
				same("object", i, d.slots[d.object(syncObject, uint64(i))], m.objects[i])
			}
		}
	}
}

// TestLeavesShared: a step among many threads doesn't copy their clocks.
func TestLeavesShared(t *testing.T) {
	const threads, rounds = 500, 200
	d := newOrder(true)
	for i := range trace.TID(threads) {
		d.ensure(i)
	}
	words, ids := len(d.vecs), len(d.ids)
	slot := d.object(syncObject, 1)
	for i := range trace.TID(rounds) {
		d.joinClock(i%2, d.slots[slot])
		d.releaseTo(i%2, slot)
	}
	if n := (len(d.vecs) - words + len(d.ids) - ids) / rounds; n > 8*leafThreads {
		t.Errorf("a critical section takes %d words with %d threads", n, threads)
	}
}

// BenchmarkCrowd is a step of threads that each load and exchange one variable, and run 20,000
// steps together: of a few threads, and of a hundred.
func BenchmarkCrowd(b *testing.B) {
	for _, threads := range []int{2, 100} {
		b.Run(strconv.Itoa(threads), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			var path []*trace.Transition
			stores := make([]bool, threads)
			for range 20_000 {
				t := r.IntN(threads)
				a := trace.Access{Addr: 0x1000, Size: 4, PC: 1, Flags: trace.Atomic}
				if stores[t] {
					a.PC, a.Flags = 2, trace.Atomic|trace.Write|trace.RMW
				}
				stores[t] = !stores[t]
				path = append(path, &trace.Transition{Thread: trace.TID(t), Accesses: []trace.Access{a}})
			}
			d := New(Config{Fine: true, Stores: true})
			root := d.Mark()
			b.ResetTimer()
			for i := range b.N {
				if i%len(path) == 0 {
					d.Rewind(root)
				}
				d.Step(path[i%len(path)])
			}
		})
	}
}
