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
		if tr.Ops[0].At = uint32(r.IntN(3)); r.IntN(3) == 0 {
			tr.Ops[0].At = math.MaxUint16
		}
	}
	if r.IntN(8) == 0 {
		tr.Fences = []uint32{uint32(r.IntN(len(tr.Accesses) + 1))}
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

// lockers are threads that take locks for what they do, but for some accesses.
type lockers struct {
	held  [3][]int // by thread, the locks that it holds
	begun [3]bool
	ended [3]bool
	owner [2]int // by lock, the thread + 1
}

// step is a step of some thread, nil if the one that was chosen can't go on.
func (l *lockers) step(r *rand.Rand, careless int) *trace.Transition {
	t := r.IntN(3)
	tr := &trace.Transition{Thread: trace.TID(t)}
	op := func(k trace.OpKind, obj uint64) *trace.Transition {
		tr.Ops = []trace.Op{{Kind: k, Obj: obj, Size: 40, PC: uint64(1000*t) + uint64(k), At: math.MaxUint16}}
		return tr
	}
	other := 1 + r.IntN(2)
	switch {
	case t == 0 && !l.begun[other] && r.IntN(4) == 0:
		l.begun[other] = true
		tr.Wakes = []trace.TID{trace.TID(other)}
		tr = op(trace.OpCreate, uint64(other))
		tr.Ops[0].Size = 0
		return tr
	case t == 0 && l.ended[other] && r.IntN(2) == 0:
		tr = op(trace.OpJoin, uint64(other))
		tr.Ops[0].Size = 0
		return tr
	case t != 0 && (!l.begun[t] || l.ended[t]):
		return nil
	case t != 0 && len(l.held[t]) == 0 && r.IntN(8) == 0:
		l.ended[t] = true
		tr = op(trace.OpExit, uint64(t))
		tr.Ops[0].Size = 0
		return tr
	}
	n := len(l.held[t])
	switch k := r.IntN(2); {
	case n > 0 && r.IntN(5) == 0:
		at := r.IntN(n)
		k = l.held[t][at]
		l.held[t] = append(append([]int(nil), l.held[t][:at]...), l.held[t][at+1:]...)
		l.owner[k] = 0
		return op(trace.OpUnlock, 0x2000+0x40*uint64(k))
	case n == 0 && r.IntN(careless) != 0, n == 1 && r.IntN(8) == 0:
		if l.owner[k] != 0 {
			return nil
		}
		l.owner[k], l.held[t] = t+1, append(append([]int(nil), l.held[t]...), k)
		return op(trace.OpLock, 0x2000+0x40*uint64(k))
	}
	at := r.IntN(2)
	if n > 0 { // what the first lock guards
		at = 2*l.held[t][0] + r.IntN(2)
	}
	a := trace.Access{Addr: 0x1000 + 8*uint64(at), Size: 8, PC: uint64(1000*t + at)}
	if r.IntN(2) == 0 {
		a.Flags, a.PC = trace.Write, a.PC+100
	}
	tr.Accesses = []trace.Access{a}
	return tr
}

// TestGuarded: a watch whose loads are guarded finds what one finds that never slept.
func TestGuarded(t *testing.T) {
	const searches = 3000
	guarded, woken, races := 0, 0, 0
	r := rand.New(rand.NewPCG(5, 5))
	for i := range searches {
		w, awake := NewTriangular(TriangularConfig{}), NewTriangular(TriangularConfig{})
		awake.sleeps = false
		l, marks, states := lockers{}, []int{w.Mark()}, []lockers{{}}
		awake.Mark()
		for range 80 {
			switch r.IntN(20) {
			case 0:
				marks, states = append(marks, w.Mark()), append(states, l)
				awake.Mark()
			case 1:
				n := 1 + r.IntN(len(marks))
				marks, states = marks[:n], states[:n]
				w.Rewind(marks[n-1])
				awake.Rewind(marks[n-1])
				l = states[n-1]
			default:
				if tr := l.step(r, 2+i%40); tr != nil {
					w.Step(tr)
					awake.Step(tr)
				}
			}
			if !reflect.DeepEqual(w.Found(), awake.Found()) {
				t.Fatalf("search %d finds %v, one that never sleeps %v", i, w.Found(), awake.Found())
			}
		}
		switch {
		case len(w.Found()) > 0:
			races++
		case w.sleeps && w.guarded:
			guarded++
		case !w.sleeps:
			woken++
		}
	}
	t.Logf("%d searches: %d with a race, %d guarded to the end, %d woke", searches, races, guarded, woken)
	if min(races, guarded, woken) < searches/60 {
		t.Errorf("of %d searches %d had a race, %d were guarded to the end, %d woke", searches, races, guarded, woken)
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
