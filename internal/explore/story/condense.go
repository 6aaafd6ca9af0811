package story

import (
	"slices"

	"landgo/internal/trace"
)

// A step that goes past points may make millions of accesses, by the same instructions to the same few places. Of these
// the last of each instruction to each place is told: memory holds what they left, and all that came before is alike. So
// is the last of each operation, with those by which locks are held at the accesses that are told.

// mostTold is how many accesses, or operations, a step may have that are told one by one.
const mostTold = 10_000

// told are a step's accesses and operations that its story has, and the place of each of these among the step's.
func told(tr *trace.Transition) (accesses []trace.Access, ops []trace.Op, places []int) {
	if len(tr.Accesses) <= mostTold && len(tr.Ops) <= mostTold || len(tr.Tails) > 0 {
		accesses, ops = slices.Clone(tr.Accesses), slices.Clone(tr.Ops)
		for k := range ops {
			places = append(places, k)
		}
		return accesses, ops, places
	}
	type access struct {
		addr, pc uint64
		size     uint32
		write    bool
	}
	kept := lasts(tr.Accesses, func(a *trace.Access) access { return access{a.Addr, a.PC, a.Size, a.IsWrite()} })
	for _, k := range kept {
		accesses = append(accesses, tr.Accesses[k])
	}
	type operation struct {
		obj, pc uint64
		kind    trace.OpKind
	}
	last := lasts(tr.Ops, func(o *trace.Op) operation { return operation{o.Obj, o.PC, o.Kind} })
	for k, o := range tr.Ops {
		at, _ := slices.BinarySearch(kept, int(o.At))
		o.At = uint32(at)
		n := len(ops)
		_, stays := slices.BinarySearch(last, k)
		switch {
		case stays:
		case !brackets[o.Kind]:
			continue
		case n > 0 && ops[n-1].Obj == o.Obj && ops[n-1].At == o.At && closes(ops[n-1].Kind, o.Kind):
			if _, stays := slices.BinarySearch(last, places[n-1]); !stays {
				ops, places = ops[:n-1], places[:n-1] // no access is told that was made with this lock
				continue
			}
		}
		ops, places = append(ops, o), append(places, k)
	}
	return accesses, ops, places
}

// callsOf are the calls of the operations that are told, by their places among these.
func callsOf(calls map[int][]uint64, ops []int) map[int][]uint64 {
	if len(calls) == 0 {
		return nil
	}
	told := map[int][]uint64{}
	for n, k := range ops {
		if stack, ok := calls[k]; ok {
			told[n] = stack
		}
	}
	return told
}

// lasts are the places of the last elements of each key, ascending.
func lasts[E any, K comparable](list []E, key func(*E) K) (places []int) {
	known := map[K]bool{}
	for k := len(list) - 1; k >= 0; k-- {
		if at := key(&list[k]); !known[at] {
			known[at] = true
			places = append(places, k)
		}
	}
	slices.Reverse(places)
	return places
}

// brackets are the operations that take locks and give them back.
var brackets = [trace.NumOps]bool{
	trace.OpLock: true, trace.OpTryLock: true, trace.OpUnlock: true,
	trace.OpReadLock: true, trace.OpTryReadLock: true, trace.OpReadUnlock: true,
	trace.OpWriteLock: true, trace.OpTryWriteLock: true, trace.OpWriteUnlock: true,
}

// closes reports whether an operation gives back what another took.
func closes(took, gives trace.OpKind) bool {
	switch gives {
	case trace.OpUnlock:
		return took == trace.OpLock || took == trace.OpTryLock
	case trace.OpReadUnlock:
		return took == trace.OpReadLock || took == trace.OpTryReadLock
	case trace.OpWriteUnlock:
		return took == trace.OpWriteLock || took == trace.OpTryWriteLock
	}
	return false
}
