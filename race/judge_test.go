package race

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"landgo/internal/trace"

	"pgregory.net/rapid"
)

// The judge: order as a graph over all accesses and operations of an execution,
// and every pair of accesses looked at. It has nothing of the detector's: no
// clocks, no epochs, no sites.

// event is one access or operation, or the wakes at a step's end.
type event struct {
	thread trace.TID
	access *trace.Access // of a free, its block
	op     *trace.Op
	locks  []held
	lives  map[uint64]int // by granule, where it isn't 0
	bare   bool
}

// judged is an execution as a graph.
type graph struct {
	mode Mode
	all  []event
	// before[i][j]: i is before j; meets leaves out that j is an access that
	// acquires.
	before, meets [][]bool
}

func declared(addr uint64) bool { return addr&^7 == 0x1008 }

// ofAddress makes a Config.Atomic of addresses.
func ofAddress(declared func(addr uint64) bool) func(pc, addr uint64) Atomicity {
	return func(_, addr uint64) Atomicity {
		if declared(addr) {
			return Declared
		}
		return Plain
	}
}

// granules of an access, with the bytes in each.
func granules(a *trace.Access) map[uint64]trace.Access {
	all := map[uint64]trace.Access{}
	for b := a.Addr; b < a.Addr+uint64(a.Size); b++ {
		g := all[b&^7]
		if g.Size == 0 {
			g.Addr = b
		}
		g.Size++
		all[b&^7] = g
	}
	return all
}

// newGraph flattens an execution and orders its events.
func newGraph(steps []trace.Transition, mode Mode) *graph {
	g := &graph{mode: mode}
	holds := map[trace.TID][]held{}
	lives := map[uint64]int{}
	wakes := map[int][]trace.TID{}
	for k := range steps {
		t := &steps[k]
		next, waker, first := 0, -1, len(g.all)
		put := func(e event) {
			e.thread, e.locks, e.bare = t.Thread, slices.Clone(holds[t.Thread]), len(g.all) > first
			e.lives = map[uint64]int{}
			for k, v := range lives {
				e.lives[k] = v
			}
			g.all = append(g.all, e)
		}
		for i := range t.Ops {
			o := &t.Ops[i]
			for ; next < int(o.At); next++ {
				put(event{access: &t.Accesses[next]})
			}
			e := event{op: o}
			if o.Kind == trace.OpFree {
				e.access = &trace.Access{Addr: o.Obj, Size: o.Size, PC: o.PC - 1, Flags: trace.Write}
			}
			put(e)
			if slices.Contains(wakers, o.Kind) {
				waker = len(g.all) - 1
			}
			if o.Kind == trace.OpReuse {
				for b := o.Obj; b < o.Obj+uint64(o.Size); b += 8 {
					lives[b]++
				}
			}
			holds[t.Thread] = holding(holds[t.Thread], o)
		}
		for ; next < len(t.Accesses); next++ {
			put(event{access: &t.Accesses[next]})
		}
		if len(t.Wakes) > 0 {
			if waker < 0 {
				put(event{op: &trace.Op{}})
				waker = len(g.all) - 1
			}
			for _, w := range t.Wakes {
				if !slices.ContainsFunc(t.Ops, func(o trace.Op) bool { return o.Kind == trace.OpCreate && trace.TID(o.Obj) == w }) {
					wakes[waker] = append(wakes[waker], w)
				}
			}
		}
	}
	g.order(wakes)
	return g
}

// wakers are the operations that let others go on.
var wakers = []trace.OpKind{trace.OpCreate, trace.OpCancel, trace.OpCondSignal, trace.OpCondBroadcast, trace.OpSemPost, trace.OpFutexWake,
	trace.OpFutexRequeue, trace.OpFutexUnlockPI, trace.OpMakeRunnable, trace.OpBarrierArrive}

func holding(set []held, o *trace.Op) []held {
	set = slices.Clone(set)
	switch o.Kind {
	case trace.OpLock, trace.OpTryLock, trace.OpWriteLock, trace.OpTryWriteLock, trace.OpFutexLockPI, trace.OpFutexTryPI:
		return append(set, held{o.Obj, false})
	case trace.OpReadLock, trace.OpTryReadLock:
		return append(set, held{o.Obj, true})
	case trace.OpUnlock, trace.OpWriteUnlock, trace.OpReadUnlock, trace.OpFutexUnlockPI:
		if i := slices.Index(set, held{o.Obj, o.Kind == trace.OpReadUnlock}); i >= 0 {
			return slices.Delete(set, i, i+1)
		}
	}
	return set
}

// order builds the relation.
func (g *graph) order(wakes map[int][]trace.TID) {
	n := len(g.all)
	g.before, g.meets = make([][]bool, n), make([][]bool, n)
	for i := range n {
		g.before[i], g.meets[i] = make([]bool, n), make([]bool, n)
	}
	round, in, arrived := map[uint64]int{}, map[trace.TID]int{}, map[string][]int{}
	for j := range g.all {
		b := &g.all[j]
		follows := func(i int, met bool) {
			for k := range i + 1 {
				if k == i || g.before[k][i] {
					g.before[k][j] = true
					g.meets[k][j] = g.meets[k][j] || !met
				}
			}
		}
		for i := range j {
			a := &g.all[i]
			switch {
			case a.thread == b.thread, slices.Contains(wakes[i], b.thread), g.letsIn(a.op, b.op),
				a.op != nil && a.op.Kind == trace.OpCreate && trace.TID(a.op.Obj) == b.thread:
				follows(i, false)
			case g.mode == Adjacent && (g.conflict(a, b) || g.sameObject(a.op, b.op)):
				follows(i, false)
			case g.mode == HB && meeting(a.access, b.access):
				follows(i, true)
			}
		}
		if b.op == nil {
			continue
		}
		name := func(r int) string { return fmt.Sprint(b.op.Obj, " ", r) }
		switch b.op.Kind {
		case trace.OpBarrierArrive:
			in[b.thread] = round[b.op.Obj]
			arrived[name(in[b.thread])] = append(arrived[name(in[b.thread])], j)
		case trace.OpBarrierLeave:
			if in[b.thread] == round[b.op.Obj] {
				round[b.op.Obj]++
			}
			for _, i := range arrived[name(round[b.op.Obj]-1)] {
				follows(i, false)
			}
		}
	}
}

// meeting: a locked instruction's write lets in a locked one, or a plain load of
// an atomic variable, of the same bytes.
func meeting(a, b *trace.Access) bool {
	if a == nil || b == nil || a.Flags&trace.Atomic == 0 || !a.IsWrite() {
		return false
	}
	in := b.Flags&trace.Atomic != 0
	for g := range granules(b) {
		in = in || declared(g) && !b.IsWrite()
	}
	return in && a.Overlaps(b)
}

// letsIn: synchronisation orders a before b.
func (g *graph) letsIn(a, b *trace.Op) bool {
	if a == nil || b == nil || a.Obj != b.Obj {
		return false
	}
	try := map[trace.OpKind]trace.OpKind{trace.OpTryLock: trace.OpLock, trace.OpTryReadLock: trace.OpReadLock, trace.OpTryWriteLock: trace.OpWriteLock,
		trace.OpTryJoin: trace.OpJoin, trace.OpSemTryWait: trace.OpSemWait, trace.OpFutexTryPI: trace.OpFutexLockPI}
	k := [2]trace.OpKind{a.Kind, b.Kind}
	if of, ok := try[b.Kind]; ok {
		k[1] = of
	}
	switch k {
	case [2]trace.OpKind{trace.OpExit, trace.OpJoin}, [2]trace.OpKind{trace.OpSemPost, trace.OpSemWait}:
		return true
	case [2]trace.OpKind{trace.OpOnce, trace.OpOnce}:
		return a.Arg == trace.OnceEnds && b.Arg != trace.OnceEnds
	case [2]trace.OpKind{trace.OpUnlock, trace.OpLock}, [2]trace.OpKind{trace.OpWriteUnlock, trace.OpReadLock},
		[2]trace.OpKind{trace.OpWriteUnlock, trace.OpWriteLock}, [2]trace.OpKind{trace.OpReadUnlock, trace.OpWriteLock},
		[2]trace.OpKind{trace.OpFutexUnlockPI, trace.OpFutexLockPI}:
		return g.mode != Limited
	}
	return false
}

// sameObject: mode Adjacent orders all operations on an object that don't commute.
func (g *graph) sameObject(a, b *trace.Op) bool {
	for _, o := range []*trace.Op{a, b} {
		if o == nil || o.Kind == trace.OpNone || o.Kind == trace.OpYield || o.Kind == trace.OpCreate {
			return false
		}
	}
	return a.Obj == b.Obj && !commute(a, b)
}

// conflict: two accesses, an earlier and a later, by different threads.
func (g *graph) conflict(a, b *event) bool {
	return a.access != nil && b.access != nil && a.thread != b.thread && a.access.Conflicts(b.access) &&
		a.op == nil && (b.op == nil || g.mode != Adjacent)
}

func apart(a, b []held) bool {
	for _, x := range a {
		for _, y := range b {
			if x.obj == y.obj && !(x.read && y.read) {
				return false
			}
		}
	}
	return true
}

// sight is as what a pair of conflicting accesses would race in one granule.
type sight struct {
	kind Kind
	sync bool // both are atomic
}

// sights has one for each granule in which they meet.
func (g *graph) sights(a, b *event) (all []sight) {
	of := granules(b.access)
	for w, bytes := range granules(a.access) {
		other, ok := of[w]
		if !ok || !bytes.Overlaps(&other) {
			continue
		}
		atomic := func(x *event) bool { return x.op == nil && (x.access.Flags&trace.Atomic != 0 || declared(w)) }
		s := sight{Data, atomic(a) && atomic(b)}
		if s.sync {
			s.kind = Sync
		}
		if a.lives[w] != b.lives[w] {
			s.kind = Recycled
		}
		all = append(all, s)
	}
	return all
}

// races reports whether nothing orders event i before j.
func (g *graph) races(i, j int, s sight) bool {
	switch {
	case g.mode == Adjacent:
		for m := i + 1; m < j; m++ {
			if g.before[i][m] && g.before[m][j] {
				return false
			}
		}
		return s.kind != Recycled
	case !apart(g.all[i].locks, g.all[j].locks):
		return false
	case s.sync:
		return !g.meets[i][j]
	}
	return !g.before[i][j]
}

// verdict is the judgement on a pair of instructions.
type verdict struct {
	kind   Kind
	bare   bool // one of them without a point, at a time that wasn't recycled
	orders map[string]bool
}

// judged lists the racing pairs, with kind, and the orders in which they came.
func judged(steps []trace.Transition, mode Mode) []string {
	g := newGraph(steps, mode)
	pairs := map[Pair]*verdict{}
	for j := range g.all {
		for i := range j {
			a, b := &g.all[i], &g.all[j]
			if !g.conflict(a, b) {
				continue
			}
			for _, s := range g.sights(a, b) {
				if !g.races(i, j, s) {
					continue
				}
				k := s.kind
				p := Pair{min(a.access.PC, b.access.PC), max(a.access.PC, b.access.PC)}
				v := pairs[p]
				if v == nil {
					v = &verdict{kind: k, orders: map[string]bool{}}
					pairs[p] = v
				}
				if k < v.kind {
					v.kind, v.orders = k, map[string]bool{}
				}
				v.bare = v.bare || k != Recycled && (a.bare || b.bare)
				if k == v.kind {
					v.orders[fmt.Sprintf("%d then %d", a.access.PC, b.access.PC)] = true
				}
			}
		}
	}
	set := map[string]bool{}
	for _, v := range pairs {
		for o := range v.orders {
			set[say(o, v.kind, v.bare)] = true
		}
	}
	return sorted(set)
}

func say(order string, k Kind, bare bool) string {
	if bare {
		order += " bare"
	}
	return fmt.Sprintf("%s %v", order, k)
}

func sorted(set map[string]bool) (list []string) {
	for s := range set {
		list = append(list, s)
	}
	sort.Strings(list)
	return list
}

// found lists a detector's candidates in the same form. Pairs of one
// instruction have one form.
func found(d *Detector) []string {
	set := map[string]bool{}
	for _, c := range d.Candidates() {
		if c.AFirst || c.A == c.B {
			set[say(fmt.Sprintf("%d then %d", c.A, c.B), c.Kind, c.Bare)] = true
		}
		if c.BFirst {
			set[say(fmt.Sprintf("%d then %d", c.B, c.A), c.Kind, c.Bare)] = true
		}
	}
	return sorted(set)
}

// executions draws steps of up to four threads. Nothing makes them feasible,
// which order doesn't need.
var executions = rapid.Custom(func(t *rapid.T) []trace.Transition {
	return rapid.SliceOfN(rapid.Custom(drawStep), 1, 14).Draw(t, "steps")
})

// objects: the operations, and where the objects of each begin.
var drawn = []struct {
	of    uint64
	kinds []trace.OpKind
}{
	{0, []trace.OpKind{trace.OpLock, trace.OpUnlock, trace.OpTryLock, trace.OpUnlock}},
	{2, []trace.OpKind{trace.OpReadLock, trace.OpReadUnlock, trace.OpTryReadLock, trace.OpReadUnlock, trace.OpWriteLock, trace.OpWriteUnlock, trace.OpTryWriteLock, trace.OpWriteUnlock}},
	{4, []trace.OpKind{trace.OpSemPost, trace.OpSemWait, trace.OpSemTryWait}},
	{6, []trace.OpKind{trace.OpOnce}},
	{9, []trace.OpKind{trace.OpBarrierArrive, trace.OpBarrierLeave}},
	{11, []trace.OpKind{trace.OpFutexLockPI, trace.OpFutexTryPI, trace.OpFutexUnlockPI}},
	{13, []trace.OpKind{trace.OpCondSignal, trace.OpCondWait, trace.OpFutexWake, trace.OpMakeRunnable, trace.OpYield}},
	{15, []trace.OpKind{trace.OpExit, trace.OpJoin, trace.OpTryJoin, trace.OpCreate}},
	{16, []trace.OpKind{trace.OpFree, trace.OpReuse}},
}

func drawStep(t *rapid.T) trace.Transition {
	x := trace.Transition{Thread: trace.TID(rapid.IntRange(0, 3).Draw(t, "thread"))}
	for range rapid.IntRange(1, 4).Draw(t, "events") {
		if rapid.Bool().Draw(t, "access") {
			a := trace.Access{Addr: 0x1000 + uint64(rapid.IntRange(0, 14).Draw(t, "addr")), Size: 4, PC: uint64(rapid.IntRange(1, 9).Draw(t, "pc"))}
			// An instruction has the same flags at each access.
			a.Flags = [...]trace.AccessFlags{0, trace.Write, trace.Write | trace.Atomic | trace.RMW}[a.PC%3]
			if a.Flags&trace.Atomic != 0 {
				a.Addr &^= 3
			}
			x.Accesses = append(x.Accesses, a)
			continue
		}
		g := rapid.SampledFrom(drawn).Draw(t, "object")
		o := trace.Op{Kind: rapid.SampledFrom(g.kinds).Draw(t, "op"), Obj: g.of + uint64(rapid.IntRange(0, 1).Draw(t, "which")), PC: 11}
		switch o.Kind {
		case trace.OpOnce:
			o.Arg = uint64(rapid.IntRange(0, 2).Draw(t, "arg"))
		case trace.OpExit:
			o.Obj = uint64(x.Thread)
		case trace.OpJoin, trace.OpTryJoin, trace.OpCreate:
			o.Obj = uint64(rapid.IntRange(0, 3).Draw(t, "other"))
		case trace.OpBarrierArrive, trace.OpBarrierLeave:
			o.Obj = g.of
		case trace.OpFree, trace.OpReuse:
			o.Obj, o.Size = 0x1000+16*uint64(rapid.IntRange(0, 1).Draw(t, "block")), 16
		}
		x.Did(o)
	}
	if rapid.IntRange(0, 7).Draw(t, "wakes") == 0 {
		x.Wakes = []trace.TID{trace.TID(rapid.IntRange(0, 3).Draw(t, "woken"))}
	}
	return x
}

// TestAgainstGraph: in each mode a detector finds exactly the pairs that the
// graph of all events shows, of the same kinds, in the same orders.
func TestAgainstGraph(t *testing.T) {
	for mode, name := range []string{"hb", "limited", "adjacent"} {
		t.Run(name, func(t *testing.T) {
			kinds := map[Kind]int{}
			rapid.Check(t, func(t *rapid.T) {
				steps := executions.Draw(t, "execution")
				d := New(Config{Mode: Mode(mode), Atomic: ofAddress(declared)})
				for i := range steps {
					d.Step(&steps[i])
				}
				got, want := strings.Join(found(d), ", "), strings.Join(judged(steps, Mode(mode)), ", ")
				if got != want {
					t.Fatalf("found %s; want %s\n%v", got, want, steps)
				}
				for _, c := range d.Candidates() {
					kinds[c.Kind]++
				}
			})
			if !testing.Short() && (kinds[Data] < 50 || kinds[Sync] < 20 || Mode(mode) != Adjacent && kinds[Recycled] < 5) {
				t.Errorf("only %v in all", kinds)
			}
		})
	}
}

// TestPolls: accesses that no step makes are found to race as those of a step are, in the order that is seen.
func TestPolls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := executions.Draw(t, "execution")
		polled, run := New(Config{Atomic: ofAddress(declared)}), New(Config{Atomic: ofAddress(declared)})
		for i := range steps {
			polled.Step(&steps[i])
			run.Step(&steps[i])
			if !rapid.Bool().Draw(t, "polls") {
				continue
			}
			a := trace.Access{Addr: 0x1000 + 4*uint64(rapid.IntRange(0, 3).Draw(t, "addr")), Size: 4, PC: 20}
			if declared(a.Addr &^ 7) {
				continue // it would take part in the order
			}
			by := trace.TID(rapid.IntRange(0, 3).Draw(t, "thread"))
			run.Step(&trace.Transition{Thread: by, Accesses: []trace.Access{a}})
			polled.Poll(&trace.Polls{Thread: by, Accesses: []trace.Access{a}, Came: true, Before: func(int) bool { return false }})
		}
		if got, want := strings.Join(found(polled), ", "), strings.Join(found(run), ", "); got != want {
			t.Fatalf("found %s; want %s\n%v", got, want, steps)
		}
	})
}
