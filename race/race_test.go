package race

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"testing"

	"landgo/trace"

	"pgregory.net/rapid"
)

// The judge: happens-before as a graph over all accesses and operations of an
// execution, and every pair of accesses looked at.

// event is one access or operation, or the wakes at a step's end.
type event struct {
	thread trace.TID
	access *trace.Access
	op     *trace.Op
	locks  []held
}

// events flattens an execution; wakes[i] are threads woken at event i.
func events(steps []trace.Transition) (all []event, wakes map[int][]trace.TID) {
	wakes = map[int][]trace.TID{}
	holds := map[trace.TID][]held{}
	for k := range steps {
		t := &steps[k]
		next, waker := 0, -1
		put := func(e event) {
			e.locks = append([]held(nil), holds[t.Thread]...)
			all = append(all, e)
		}
		for i := range t.Ops {
			o := &t.Ops[i]
			for ; next < int(o.At); next++ {
				put(event{thread: t.Thread, access: &t.Accesses[next]})
			}
			put(event{thread: t.Thread, op: o})
			if edgesOf[o.Kind]&(wakesUp) != 0 || o.Kind == trace.OpBarrierArrive {
				waker = len(all) - 1
			}
			h := held{obj: o.Obj, read: o.Kind == trace.OpReadLock || o.Kind == trace.OpReadUnlock}
			switch o.Kind {
			case trace.OpLock, trace.OpReadLock, trace.OpWriteLock:
				holds[t.Thread] = append(holds[t.Thread], h)
			case trace.OpUnlock, trace.OpReadUnlock, trace.OpWriteUnlock:
				for i, x := range holds[t.Thread] {
					if x == h {
						holds[t.Thread] = append(append([]held(nil), holds[t.Thread][:i]...), holds[t.Thread][i+1:]...)
						break
					}
				}
			}
		}
		for ; next < len(t.Accesses); next++ {
			put(event{thread: t.Thread, access: &t.Accesses[next]})
		}
		if len(t.Wakes) > 0 {
			if waker < 0 {
				put(event{thread: t.Thread, op: &trace.Op{}})
				waker = len(all) - 1
			}
			wakes[len(all)] = append([]trace.TID{trace.TID(waker)}, t.Wakes...)
		}
	}
	return all, wakes
}

const wakesUp = wakes

// ordered builds the relation: o[i][j] for i before j.
func ordered(all []event, woken map[int][]trace.TID, mode Mode) [][]bool {
	o := make([][]bool, len(all))
	for i := range o {
		o[i] = make([]bool, len(all))
	}
	round := map[uint64]int{}
	in := map[trace.TID]int{}
	arrived := map[string][]int{}
	for j := range all {
		direct := func(i int) {
			o[i][j] = true
			for k := range i {
				o[k][j] = o[k][j] || o[k][i]
			}
		}
		b := &all[j]
		for i := range j {
			a := &all[i]
			if a.thread == b.thread || letsIn(a, b, mode) {
				direct(i)
			}
		}
		for at, list := range woken {
			if at > j {
				continue
			}
			for _, w := range list[1:] {
				if w == b.thread && int(list[0]) < j {
					direct(int(list[0]))
				}
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
				direct(i)
			}
		}
	}
	return o
}

// letsIn: synchronisation orders a before b.
func letsIn(a, b *event, mode Mode) bool {
	if a.access != nil && b.access != nil {
		const locked = trace.Atomic
		return mode == HB && a.access.Flags&b.access.Flags&locked != 0 && a.access.IsWrite() && a.access.Addr&^7 == b.access.Addr&^7
	}
	if a.op == nil || b.op == nil || a.op.Obj != b.op.Obj && a.op.Kind != trace.OpCreate {
		return false
	}
	k := [2]trace.OpKind{a.op.Kind, b.op.Kind}
	switch k {
	case [2]trace.OpKind{trace.OpExit, trace.OpJoin}, [2]trace.OpKind{trace.OpSemPost, trace.OpSemWait}, [2]trace.OpKind{trace.OpOnce, trace.OpOnce}:
		return true
	case [2]trace.OpKind{trace.OpUnlock, trace.OpLock}, [2]trace.OpKind{trace.OpWriteUnlock, trace.OpReadLock},
		[2]trace.OpKind{trace.OpWriteUnlock, trace.OpWriteLock}, [2]trace.OpKind{trace.OpReadUnlock, trace.OpWriteLock}:
		return mode == HB
	}
	return false
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

// judged lists the racing pairs, with the instruction that came first.
func judged(steps []trace.Transition, mode Mode) []string {
	all, woken := events(steps)
	o := ordered(all, woken, mode)
	found := map[string]bool{}
	for j := range all {
		for i := range j {
			a, b := &all[i], &all[j]
			if a.access == nil || b.access == nil || a.thread == b.thread || !a.access.Conflicts(b.access) || o[i][j] ||
				a.access.Flags&b.access.Flags&trace.Atomic != 0 || !apart(a.locks, b.locks) {
				continue
			}
			found[fmt.Sprintf("%d then %d", a.access.PC, b.access.PC)] = true
		}
	}
	return sorted(found)
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
			set[fmt.Sprintf("%d then %d", c.A, c.B)] = true
		}
		if c.BFirst {
			set[fmt.Sprintf("%d then %d", c.B, c.A)] = true
		}
	}
	return sorted(set)
}

// executions draws steps of up to four threads. Nothing makes them feasible,
// which happens-before doesn't need.
var executions = rapid.Custom(func(t *rapid.T) []trace.Transition {
	ops := []trace.OpKind{trace.OpLock, trace.OpUnlock, trace.OpLock, trace.OpUnlock, trace.OpReadLock, trace.OpReadUnlock,
		trace.OpWriteLock, trace.OpWriteUnlock, trace.OpSemPost, trace.OpSemWait, trace.OpBarrierArrive, trace.OpBarrierLeave,
		trace.OpOnce, trace.OpExit, trace.OpJoin, trace.OpCondSignal, trace.OpCondWait, trace.OpYield}
	step := rapid.Custom(func(t *rapid.T) trace.Transition {
		x := trace.Transition{Thread: trace.TID(rapid.IntRange(0, 3).Draw(t, "thread"))}
		for range rapid.IntRange(1, 4).Draw(t, "events") {
			if rapid.Bool().Draw(t, "access") {
				a := trace.Access{Addr: 0x1000 + uint64(rapid.IntRange(0, 10).Draw(t, "addr")), Size: 4, PC: uint64(rapid.IntRange(1, 9).Draw(t, "pc"))}
				// An instruction is what it is, wherever it stands.
				a.Flags = [...]trace.AccessFlags{0, trace.Write, trace.Write | trace.Atomic | trace.RMW}[a.PC%3]
				if a.Flags&trace.Atomic != 0 {
					a.Addr &^= 3
				}
				x.Accesses = append(x.Accesses, a)
				continue
			}
			k := rapid.SampledFrom(ops).Draw(t, "op")
			o := trace.Op{Kind: k, Obj: uint64(rapid.IntRange(0, 1).Draw(t, "object"))}
			switch k {
			case trace.OpReadLock, trace.OpReadUnlock, trace.OpWriteLock, trace.OpWriteUnlock:
				o.Obj += 2
			case trace.OpSemPost, trace.OpSemWait:
				o.Obj += 4
			case trace.OpOnce:
				o.Obj += 6
			case trace.OpExit:
				o.Obj = uint64(x.Thread)
			case trace.OpJoin:
				o.Obj = uint64(rapid.IntRange(0, 3).Draw(t, "joined"))
			case trace.OpBarrierArrive, trace.OpBarrierLeave:
				o.Obj = 9
			}
			x.Did(o)
		}
		if rapid.IntRange(0, 7).Draw(t, "wakes") == 0 {
			x.Wakes = []trace.TID{trace.TID(rapid.IntRange(0, 3).Draw(t, "woken"))}
		}
		return x
	})
	return rapid.SliceOfN(step, 1, 14).Draw(t, "steps")
})

// TestAgainstGraph: in each mode a detector finds exactly the pairs that the
// graph of all events shows.
func TestAgainstGraph(t *testing.T) {
	for _, mode := range []Mode{HB, Limited} {
		pairs := 0
		rapid.Check(t, func(t *rapid.T) {
			steps := executions.Draw(t, "execution")
			d := New(Config{Mode: mode})
			for i := range steps {
				d.Step(&steps[i])
			}
			got, want := strings.Join(found(d), ", "), strings.Join(judged(steps, mode), ", ")
			if got != want {
				t.Fatalf("mode %d: found %s; want %s\n%v", mode, got, want, steps)
			}
			pairs += len(found(d))
		})
		if pairs < 100 {
			t.Errorf("mode %d: only %d pairs in all", mode, pairs)
		}
	}
}

// TestRewind: going back and on in another way is as if one had gone that way
// at first.
func TestRewind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head, wrong, right := executions.Draw(t, "head"), executions.Draw(t, "wrong"), executions.Draw(t, "right")
		d, fresh := New(Config{}), New(Config{})
		run := func(d *Detector, steps []trace.Transition) {
			for i := range steps {
				d.Step(&steps[i])
			}
		}
		run(d, head)
		k := d.Mark()
		run(d, wrong)
		inner := d.Mark()
		run(d, head)
		d.Rewind(inner)
		d.Rewind(k)
		before := len(d.log)
		d.Forget()
		run(d, right)
		run(fresh, head)
		fresh.Forget()
		run(fresh, right)
		if got, want := strings.Join(found(d), ", "), strings.Join(found(fresh), ", "); got != want {
			t.Fatalf("found %s, fresh %s", got, want)
		}
		d.Rewind(k)
		if len(d.log) != before {
			t.Fatalf("a log of %d, was %d", len(d.log), before)
		}
	})
}

func step(t trace.TID, parts ...any) *trace.Transition {
	x := &trace.Transition{Thread: t}
	for _, p := range parts {
		switch p := p.(type) {
		case trace.Access:
			x.Accesses = append(x.Accesses, p)
		case trace.Op:
			x.Did(p)
		case trace.TID:
			x.Wakes = append(x.Wakes, p)
		}
	}
	return x
}

func read(pc uint64) trace.Access { return trace.Access{Addr: 64, Size: 8, PC: pc} }
func write(pc uint64) trace.Access {
	return trace.Access{Addr: 64, Size: 8, PC: pc, Flags: trace.Write}
}
func lock(obj uint64) trace.Op   { return trace.Op{Kind: trace.OpLock, Obj: obj} }
func unlock(obj uint64) trace.Op { return trace.Op{Kind: trace.OpUnlock, Obj: obj} }

// TestModes: the example of Blum and Gibson, Fig. 3: an access before a
// critical section races with one after another thread's, if the sections
// could have come the other way round. Pure happens-before doesn't see it in
// this order.
func TestModes(t *testing.T) {
	for _, c := range []struct {
		mode Mode
		want int
	}{{HB, 0}, {Limited, 1}} {
		d := New(Config{Mode: c.mode})
		d.Step(step(0, trace.Op{Kind: trace.OpCreate, Obj: 1}, trace.Op{Kind: trace.OpCreate, Obj: 2}))
		d.Step(step(1, write(1), lock(8), unlock(8)))
		d.Step(step(2, lock(8), unlock(8), write(2)))
		if n := len(d.Candidates()); n != c.want {
			t.Errorf("mode %d: %d candidates, want %d", c.mode, n, c.want)
		}
	}
}

// TestClasses: a pair is confirmed by its second order; one instruction's pair
// with itself by another thread's coming first.
func TestClasses(t *testing.T) {
	d := New(Config{})
	k := d.Mark()
	d.Step(step(0, write(1)))
	d.Step(step(1, read(2)))
	c := d.Candidates()[0]
	if !c.AFirst || c.BFirst || c.BothOrders() || c.Shown.Earlier.Thread != 0 || c.Shown.Later.Step != 1 {
		t.Errorf("one order: %+v", c)
	}
	d.Rewind(k)
	d.Step(step(1, read(2)))
	d.Step(step(0, write(1)))
	if !c.BothOrders() || len(d.Candidates()) != 1 {
		t.Errorf("both orders: %+v", c)
	}

	d = New(Config{})
	k = d.Mark()
	d.Step(step(0, write(1)))
	d.Step(step(1, write(1)))
	if c = d.Candidates()[0]; c.BothOrders() {
		t.Errorf("one instruction, one order: %+v", c)
	}
	d.Rewind(k)
	d.Step(step(1, write(1)))
	d.Step(step(0, write(1)))
	if !c.BothOrders() {
		t.Errorf("one instruction, both orders: %+v", c)
	}
}

// TestTries: what a successful try acquires is ordered as what an acquire does.
func TestTries(t *testing.T) {
	for _, c := range []struct{ release, acquire trace.Op }{
		{trace.Op{Kind: trace.OpExit, Obj: 0}, trace.Op{Kind: trace.OpTryJoin, Obj: 0}},
		{trace.Op{Kind: trace.OpFutexUnlockPI, Obj: 8}, trace.Op{Kind: trace.OpFutexTryPI, Obj: 8}},
		{unlock(8), trace.Op{Kind: trace.OpTryLock, Obj: 8}},
		{trace.Op{Kind: trace.OpSemPost, Obj: 8}, trace.Op{Kind: trace.OpSemTryWait, Obj: 8}},
	} {
		d := New(Config{})
		d.Step(step(0, write(1), c.release))
		d.Step(step(1, c.acquire, read(2)))
		if n := len(d.Candidates()); n != 0 {
			t.Errorf("%v: %d candidates", c.acquire, n)
		}
	}
}

// TestAtomicVariable: accesses to a variable that is declared as atomic don't
// race.
func TestAtomicVariable(t *testing.T) {
	d := New(Config{Atomic: func(addr uint64) bool { return addr == 64 }})
	d.Step(step(0, write(1)))
	d.Step(step(1, read(2)))
	if n := len(d.Candidates()); n != 0 {
		t.Errorf("%d candidates", n)
	}
	d.Step(step(1, trace.Access{Addr: 128, Size: 4, PC: 5, Flags: trace.Write}))
	d.Step(step(0, trace.Access{Addr: 128, Size: 4, PC: 6}))
	if n := len(d.Candidates()); n != 1 {
		t.Errorf("%d candidates of another variable, want 1", n)
	}
}

// TestAdd: it makes no difference which detector watched which execution, nor
// in which order.
func TestAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, other := executions.Draw(t, "one"), executions.Draw(t, "other")
		run := func(d *Detector, steps []trace.Transition) {
			k := d.Mark()
			for i := range steps {
				d.Step(&steps[i])
			}
			d.Rewind(k)
		}
		text := func(d *Detector) string {
			var all []string
			for _, c := range d.Candidates() {
				all = append(all, fmt.Sprintf("%+v", *c))
			}
			sort.Strings(all)
			return strings.Join(all, "\n")
		}
		a, b, both := New(Config{}), New(Config{}), New(Config{})
		run(a, one)
		run(b, other)
		run(both, other)
		run(both, one)
		if from := a.Add(b); len(from) != len(a.Changed()) {
			t.Fatalf("%d from the other, %d changed", len(from), len(a.Changed()))
		}
		// Of equal sightings at different steps either may stay.
		step := regexp.MustCompile(`(Step|Insn|Write|Size):\w+ ?`)
		if got, want := step.ReplaceAllString(text(a), ""), step.ReplaceAllString(text(both), ""); got != want {
			t.Fatalf("added:\n%s\nwatched by one:\n%s", got, want)
		}
	})
}
