package race

import (
	"fmt"
	"slices"

	"landgo/internal/trace"
)

// held is a lock that a thread holds. A lock that is held twice is there twice.
type held struct {
	obj  uint64
	read bool // as one of several readers
}

// locksets numbers sets of locks; number 0 is the empty one. They are kept for
// good: a program has few.
type locksets struct {
	sets   [][]held
	number map[string]int32
	moves  map[move]int32 // the set that one becomes
}

// move is a lock that is taken, or let go, by a thread that holds a set.
type move struct {
	from int32
	held
	take bool
}

func (l *locksets) init() {
	l.sets, l.number, l.moves = [][]held{nil}, map[string]int32{"[]": 0}, map[move]int32{}
}

func (l *locksets) intern(set []held) int32 {
	key := fmt.Sprint(set)
	n, ok := l.number[key]
	if !ok {
		n = int32(len(l.sets))
		l.sets, l.number[key] = append(l.sets, set), n
	}
	return n
}

// exclude reports whether two sets have a lock in common that keeps one out
// while the other is in.
func (l *locksets) exclude(a, b int32) bool {
	if a == 0 || b == 0 {
		return false
	}
	for _, x := range l.sets[a] {
		for _, y := range l.sets[b] {
			if x.obj == y.obj && !(x.read && y.read) {
				return true
			}
		}
	}
	return false
}

// holding follows the locks of thread t.
func (d *Detector) holding(t trace.TID, o *trace.Op) {
	var h held
	take := false
	switch o.Kind {
	case trace.OpLock, trace.OpTryLock, trace.OpWriteLock, trace.OpTryWriteLock, trace.OpFutexLockPI, trace.OpFutexTryPI, trace.OpInterruptsOff:
		h, take = held{o.Obj, false}, true
	case trace.OpReadLock, trace.OpTryReadLock:
		h, take = held{o.Obj, true}, true
	case trace.OpUnlock, trace.OpWriteUnlock, trace.OpFutexUnlockPI, trace.OpInterruptsOn:
		h = held{o.Obj, false}
	case trace.OpReadUnlock:
		h = held{o.Obj, true}
	default:
		return
	}
	slot := d.threads[t].locks
	m := move{d.slots[slot], h, take}
	to, known := d.sets.moves[m]
	if !known {
		to = d.sets.moved(m)
		d.sets.moves[m] = to
	}
	d.set(slot, to)
}

// moved is the number of the set after a move.
func (l *locksets) moved(m move) int32 {
	set, h := slices.Clone(l.sets[m.from]), m.held
	i := slices.Index(set, h)
	switch {
	case m.take:
		set = append(set, h)
		slices.SortFunc(set, func(a, b held) int {
			switch {
			case a.obj != b.obj && a.obj < b.obj:
				return -1
			case a.obj != b.obj:
				return 1
			case a.read == b.read:
				return 0
			case b.read:
				return -1
			}
			return 1
		})
	case i < 0:
		return m.from // it unlocks a lock that it doesn't hold: reported elsewhere
	default:
		set = slices.Delete(set, i, i+1)
	}
	return l.intern(set)
}
