// Package names gives threads their numbers, by their places in the tree of creations.
//
// Invariant: a name has one number for as long as its Names are there, and a number one name.
// Nothing is taken back.
package names

import (
	"errors"
	"fmt"
	"strings"

	"landgo/internal/trace"
)

// Names interns threads' names. A thread's name is the path of its place in the
// tree of creations, which no order of execution can change. "0" is the first
// thread, "0.2" its second child, "0.2.1" that one's first. Interned numbers are
// kept for a whole exploration and never rewound, so that one name is one TID in
// all of its executions.
type Names struct {
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

// Ordinals that no child has. They are of the signals on their way to a thread, of the first timer,
// and of thread 0's drain of another one's store buffer.
const (
	Arrival = 1 << 31
	timers  = 1 << 32
	drains  = 1 << 40
)

// Timer is the ordinal of timer n, a child of thread 0, and Drain that of the drain of its parent's
// store buffer which a thread asks for.
func Timer(n int) uint64        { return timers + uint64(n) }
func Drain(by trace.TID) uint64 { return drains + uint64(by) }

// New has the first thread only. max is how many numbers there may be. buffers: each thread's is
// followed by that of its store buffer.
func New(max int, buffers bool) *Names {
	n := &Names{paths: []string{"0"}, ids: map[child]trace.TID{}, max: max, each: 1}
	if buffers {
		n.each, n.paths = 2, append(n.paths, "0"+trace.BufferMark)
	}
	return n
}

// Intern is the number of a thread, by which of its parent's children it is: a new one if it was
// never met.
func (n *Names) Intern(parent trace.TID, ordinal uint64) (trace.TID, error) {
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
	case ordinal == Arrival:
		name = n.paths[parent] + trace.ArrivalMark
	case ordinal >= drains:
		name = n.paths[parent] + trace.BufferMark + n.paths[ordinal-drains]
	case ordinal >= timers:
		name = fmt.Sprintf("%s.%s%d", n.paths[parent], trace.TimerMark, ordinal-timers+1)
	}
	n.paths = append(n.paths, name)
	if n.each > 1 {
		n.paths = append(n.paths, n.paths[t]+trace.BufferMark)
	}
	n.ids[key] = t
	return t, nil
}

// Name is a thread's path name, and All those of all, by number.
func (n *Names) Name(t trace.TID) string { return n.paths[t] }
func (n *Names) All() []string           { return n.paths }

// Len is how many numbers are given.
func (n *Names) Len() int { return len(n.paths) }

// Find is the number of a thread that was met, by its place.
func (n *Names) Find(parent trace.TID, ordinal uint64) (t trace.TID, ok bool) {
	t, ok = n.ids[child{parent, ordinal}]
	return t, ok
}

// Births are the parents of threads from 1 on, and which of its children each is.
func (n *Names) Births() (parents []trace.TID, ordinals []uint64) {
	parents, ordinals = make([]trace.TID, len(n.paths)-1), make([]uint64, len(n.paths)-1)
	for c, t := range n.ids {
		parents[t-1], ordinals[t-1] = c.parent, c.ordinal
	}
	return parents, ordinals
}

// Lookup finds a thread by its path name.
func (n *Names) Lookup(path string) (trace.TID, bool) {
	for i, p := range n.paths {
		if p == path {
			return trace.TID(i), true
		}
	}
	return trace.NoThread, false
}

// ErrOther is the numbering of another System.
var ErrOther = errors.New("threads are numbered in another way")

// Learn takes all names that were met elsewhere, by number. The two have to number threads alike.
func (n *Names) Learn(all []string) error {
	for i, name := range all {
		switch {
		case i >= len(n.paths):
			if err := n.append(name); err != nil {
				return err
			}
			if i >= len(n.paths) {
				return ErrOther // it is there twice
			}
		case n.paths[i] != name:
			return ErrOther
		}
	}
	return nil
}

// append adds a thread that another System has met as its next.
func (n *Names) append(path string) error {
	if of, ok := strings.CutSuffix(path, trace.ArrivalMark); ok {
		parent, ok := n.Lookup(of)
		if !ok {
			return ErrOther
		}
		return n.appendChild(parent, Arrival)
	}
	i := strings.LastIndexByte(path, '.')
	if !trace.IsThreadName(path) {
		return ErrOther
	}
	owner, caller, drain := strings.Cut(path, trace.BufferMark)
	if !drain && i >= 0 {
		owner = path[:i]
	}
	parent, ok := n.Lookup(owner)
	if !ok {
		return ErrOther
	}
	var ordinal uint64
	if drain {
		by, ok := n.Lookup(caller)
		if !ok {
			return ErrOther
		}
		ordinal = Drain(by)
	} else {
		last, timer := strings.CutPrefix(path[i+1:], trace.TimerMark)
		for _, c := range last {
			ordinal = ordinal*10 + uint64(c-'0')
		}
		if timer {
			ordinal += timers - 1
		}
	}
	return n.appendChild(parent, ordinal)
}

// appendChild is append by a parent and the place among its children.
func (n *Names) appendChild(parent trace.TID, ordinal uint64) error {
	t, err := n.Intern(parent, ordinal)
	if err == nil && int(t) != len(n.paths)-n.each {
		err = ErrOther
	}
	return err
}
