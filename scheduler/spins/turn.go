package spins

import (
	"cmp"
	"fmt"
	"slices"

	"landgo/internal/trace"
)

// What a turn of a loop did, as its transition has it.

// SameRead reports whether a thread that just made access a is about to make
// it again. To write what was read isn't meant: that is how a counter is counted.
func SameRead(a, next *trace.Access) bool {
	return a.SameBytes(next) && (a.IsWrite() || !next.IsWrite())
}

// OnlyRests: a turn may yield, which depends on nothing, and sleep. A sleep moves the clock. Where a thread
// looks at that, the turn has an access to it and isn't one of a counted spin.
func OnlyRests(ops []trace.Op) bool {
	return !slices.ContainsFunc(ops, func(o trace.Op) bool { return o.Kind != trace.OpYield && o.Kind != trace.OpSleep })
}

// Disturbs reports whether a step changes any of the bytes, or operates on an
// object among them.
func Disturbs(tr *trace.Transition, waits []trace.Access) bool {
	for i := range tr.Accesses {
		a := &tr.Accesses[i]
		if !a.IsWrite() || a.Flags&(trace.Silent|trace.Buffered) != 0 {
			continue
		}
		for j := range waits {
			if a.Overlaps(&waits[j]) {
				return true
			}
		}
	}
	for i := range tr.Ops {
		op := &tr.Ops[i]
		if op.Size == 0 {
			continue
		}
		switch op.Kind {
		case trace.OpTryLockFail, trace.OpSemTryWaitFail, trace.OpTryReadLockFail, trace.OpTryWriteLockFail:
			continue
		}
		obj := trace.Access{Addr: op.Obj, Size: op.Size}
		for j := range waits {
			if obj.Overlaps(&waits[j]) {
				return true
			}
		}
	}
	return false
}

// Ordered are reads in the order of the code, each once: where in its loop a thread was
// found out is chance.
func Ordered(reads []trace.Access) []trace.Access {
	order := func(a, b trace.Access) int {
		return cmp.Or(cmp.Compare(a.PC, b.PC), cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Size, b.Size))
	}
	reads = slices.Clone(reads)
	slices.SortStableFunc(reads, order)
	return slices.CompactFunc(reads, func(a, b trace.Access) bool { return order(a, b) == 0 })
}

// SameSteps reports whether two steps of a thread touched the same and did the same
// operations.
func SameSteps(a, b *trace.Transition) bool {
	if len(a.Accesses) != len(b.Accesses) {
		return false
	}
	for i := range a.Accesses {
		x, y := &a.Accesses[i], &b.Accesses[i]
		if x.Addr != y.Addr || x.Size != y.Size || x.PC != y.PC {
			return false
		}
	}
	next := func(ops []trace.Op) (trace.Op, []trace.Op) {
		for len(ops) > 0 && ops[0].Kind == trace.OpTurn {
			ops = ops[1:]
		}
		if len(ops) == 0 {
			return trace.Op{}, nil
		}
		return ops[0], ops[1:]
	}
	p, q := a.Ops, b.Ops
	for len(p)+len(q) > 0 {
		var x, y trace.Op
		x, p = next(p)
		y, q = next(q)
		if x.Kind != y.Kind || x.Obj != y.Obj {
			return false
		}
	}
	return true
}

// Doings has the effects of a step that other threads can observe. The instruction by which it looked
// is nothing to them: compilers copy a loop's first look.
func Doings(tr *trace.Transition) string {
	text := fmt.Append(nil, tr.End, tr.Wakes, tr.Loose, tr.Disables)
	for i := range tr.Accesses {
		a := &tr.Accesses[i]
		text = fmt.Append(text, a.Addr, a.Size, a.Flags, a.Ahead)
	}
	for _, op := range tr.Ops {
		text = fmt.Append(text, op)
	}
	return string(text)
}
