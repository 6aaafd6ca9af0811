package race

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"landgo/internal/trace"
)

// randomStep is a transition of few threads, addresses and objects. It needn't make sense.
func randomStep(r *rand.Rand) *trace.Transition {
	tr := &trace.Transition{Thread: trace.TID(r.IntN(3))}
	pc := func() uint64 { return 100 + uint64(r.IntN(8)) + 10*uint64(tr.Thread) }
	for range r.IntN(3) {
		a := trace.Access{Addr: 0x1000 + uint64(r.IntN(12)), Size: 1 + uint32(r.IntN(4)), PC: pc()}
		switch r.IntN(9) {
		case 0:
			a.Flags = trace.Write | trace.RMW | trace.Atomic
		case 1:
			a.Flags = trace.Atomic | trace.FailedCAS
		case 2: // a kernel's word
			a.Addr, a.Size, a.Flags = 8*uint64(r.IntN(2)), 8, trace.Library|trace.AccessFlags(r.IntN(2))
		case 3, 4, 5:
			a.Flags = trace.Write
		}
		tr.Accesses = append(tr.Accesses, a)
	}
	kinds := []trace.OpKind{trace.OpLock, trace.OpUnlock, trace.OpSemPost, trace.OpCondSignal, trace.OpMutexInit, trace.OpOnce, trace.OpCallBegins, trace.OpSemGet}
	if r.IntN(4) == 0 {
		tr.Ops = []trace.Op{{Kind: kinds[r.IntN(len(kinds))], Obj: 0x1008, Size: 4, PC: pc()}}
		if tr.Ops[0].At = uint16(r.IntN(3)); r.IntN(3) == 0 {
			tr.Ops[0].At = math.MaxUint16
		}
	}
	if r.IntN(8) == 0 {
		tr.Fences = []uint16{uint16(r.IntN(len(tr.Accesses) + 1))}
	}
	return tr
}

// TestAsleep: a watch that sleeps as long as it may finds what one finds that never slept, wherever it
// wakes, and with every state that a search goes back to.
func TestAsleep(t *testing.T) {
	const searches = 5000
	slept, woken, races := 0, 0, 0
	r := rand.New(rand.NewPCG(4, 4))
	for i := range searches {
		cfg := TriangularConfig{Coarse: i%3 == 0, Word: func(addr uint64) bool { return addr < 0x100 }}
		w, awake := NewTriangular(cfg), NewTriangular(cfg)
		awake.sleeps = false
		marks := []int{w.Mark()}
		if k := awake.Mark(); k != marks[0] {
			t.Fatal("different marks")
		}
		for range 20 {
			switch r.IntN(6) {
			case 0:
				marks = append(marks, w.Mark())
				if k := awake.Mark(); k != marks[len(marks)-1] {
					t.Fatalf("search %d: mark %d of the one is %d of the other", i, marks[len(marks)-1], k)
				}
			case 1:
				marks = marks[:1+r.IntN(len(marks))]
				w.Rewind(marks[len(marks)-1])
				awake.Rewind(marks[len(marks)-1])
			default:
				tr := randomStep(r)
				w.Step(tr)
				awake.Step(tr)
			}
			if !reflect.DeepEqual(w.Found(), awake.Found()) {
				t.Fatalf("search %d finds %v, one that never sleeps %v", i, w.Found(), awake.Found())
			}
			if !reflect.DeepEqual(w.Stores(), awake.Stores()) {
				t.Fatalf("search %d has met the stores %x, one that never sleeps %x", i, w.Stores(), awake.Stores())
			}
		}
		switch {
		case len(w.Found()) > 0:
			races++
		case w.sleeps:
			slept++
		default:
			woken++
		}
	}
	t.Logf("%d searches: %d with a race, %d slept to the end, %d woke", searches, races, slept, woken)
	if min(races, slept, woken) < searches/20 {
		t.Errorf("of %d searches %d had a race, %d slept to the end, %d woke", searches, races, slept, woken)
	}
}

// BenchmarkTriangular is a step of threads that take a lock and count. A watch sleeps in such a
// program to the end; one that is awake is beside it.
func BenchmarkTriangular(b *testing.B) {
	var path []*trace.Transition
	for i := range 60 {
		t := trace.TID(i / 3 % 3)
		pc := 100*uint64(t) + uint64(i%3)
		path = append(path,
			&trace.Transition{Thread: t, Ops: []trace.Op{{Kind: trace.OpLock, Obj: 0x2000, Size: 40, PC: pc}}},
			&trace.Transition{Thread: t, Accesses: []trace.Access{{Addr: 0x1000, Size: 4, PC: pc + 10}}},
			&trace.Transition{Thread: t, Accesses: []trace.Access{{Addr: 0x1000, Size: 4, PC: pc + 20, Flags: trace.Write}}},
			&trace.Transition{Thread: t, Ops: []trace.Op{{Kind: trace.OpUnlock, Obj: 0x2000, Size: 40, PC: pc + 30}}})
	}
	for _, sleeps := range []bool{true, false} {
		name := "awake"
		if sleeps {
			name = "asleep"
		}
		b.Run(name, func(b *testing.B) {
			w := NewTriangular(TriangularConfig{})
			w.sleeps = sleeps
			root := w.Mark()
			for range b.N {
				for _, tr := range path {
					w.Mark()
					w.Step(tr)
				}
				w.Rewind(root)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(path)), "ns/step")
			if w.sleeps != sleeps || len(w.Found()) > 0 {
				b.Error("the program isn't one without anything to watch")
			}
		})
	}
}
