package scheduler

import (
	"fmt"

	"landgo/internal/trace"
)

// names interns threads' names. A thread's name is the path of its place in the
// tree of creations, which no order of execution can change. "0" is the first
// thread, "0.2" its second child, "0.2.1" that one's first. Interned numbers are
// kept for a whole exploration and never rewound, so that one name is one TID in
// all of its executions.
type names struct {
	paths []string
	ids   map[child]trace.TID
	max   int
	// each is how many ids a thread has: its own and, with store buffers, its buffer's.
	each int
}

type child struct {
	parent  trace.TID
	ordinal uint64
}

// Ordinals that no child has. They are of the signals on their way to a thread (arrival.go), of
// the first timer (timer.go), and of thread 0's drain of another one's buffer (fenceall.go).
const (
	arrivalOrdinal = 1 << 31
	timerOrdinal   = 1 << 32
	drainOrdinal   = 1 << 40
)

func newNames(max int, buffers bool) *names {
	n := &names{paths: []string{"0"}, ids: map[child]trace.TID{}, max: max, each: 1}
	if buffers {
		n.each, n.paths = 2, append(n.paths, "0"+trace.BufferMark)
	}
	return n
}

func (n *names) intern(parent trace.TID, ordinal uint64) (trace.TID, error) {
	key := child{parent, ordinal}
	if t, ok := n.ids[key]; ok {
		return t, nil
	}
	if len(n.paths) >= n.max {
		return trace.NoThread, fmt.Errorf("the guest creates more than %d threads", n.max/n.each)
	}
	t := trace.TID(len(n.paths))
	name := fmt.Sprintf("%s.%d", n.paths[parent], ordinal)
	switch {
	case ordinal == arrivalOrdinal:
		name = n.paths[parent] + trace.ArrivalMark
	case ordinal >= drainOrdinal:
		name = n.paths[parent] + trace.BufferMark + n.paths[ordinal-drainOrdinal]
	case ordinal >= timerOrdinal:
		name = fmt.Sprintf("%s.%s%d", n.paths[parent], trace.TimerMark, ordinal-timerOrdinal+1)
	}
	n.paths = append(n.paths, name)
	if n.each > 1 {
		n.paths = append(n.paths, n.paths[t]+trace.BufferMark)
	}
	n.ids[key] = t
	return t, nil
}

// name is a thread's path name.
func (n *names) name(t trace.TID) string { return n.paths[t] }

// births are the parents of threads from 1 on, and which of its children each is.
func (n *names) births() (parents []trace.TID, ordinals []uint64) {
	parents, ordinals = make([]trace.TID, len(n.paths)-1), make([]uint64, len(n.paths)-1)
	for c, t := range n.ids {
		parents[t-1], ordinals[t-1] = c.parent, c.ordinal
	}
	return parents, ordinals
}

// lookup finds a thread by its path name.
func (n *names) lookup(path string) (trace.TID, bool) {
	for i, p := range n.paths {
		if p == path {
			return trace.TID(i), true
		}
	}
	return trace.NoThread, false
}
