package por

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// answeredAfter is b, which sleeps, behind an update e of its thread's store buffer: a
// load that the buffer answered with that store is one of memory from now on.
func (x *explorer) answeredAfter(b *branch, e *relation.Event) *branch {
	t := x.thread(b.Thread)
	if x.opts.fault == staysBuffered || t != nil && len(b.Accesses) == 1 && t.Pending.Kind == trace.OpAccess && t.PendingAccess.Flags&trace.Buffered != 0 {
		return b
	}
	var now []trace.Access
	if t != nil {
		now = t.Pieces
	}
	f := b.After(e, now)
	if f == nil {
		return b
	}
	c := *b // the step as it was sleeps elsewhere too
	c.Event = *f
	return &c
}

// addsAfter is b, which sleeps, behind an addition like its own (trace.TestedAddition); nil if it would
// find something else there.
func (x *explorer) addsAfter(b *branch) *branch {
	if x.opts.fault == roomless {
		return b
	}
	if b.More == 0 {
		return nil
	}
	c := *b // the step as it was sleeps elsewhere too
	c.More--
	return &c
}

// inherit gives the state of n its sleep set (Godefroid 1996): what was asleep
// or already explored in the state before, p, and doesn't depend on the event
// between. Running it here would only lead to what is explored from there.
func (x *explorer) inherit(n, p *node) {
	if !x.needs.sleep {
		return
	}
	if x.meter != nil && !x.needs.freely {
		x.inheritWithin(n, p)
		return
	}
	e := &p.cur.Event
	keep := func(b *branch) bool {
		if b.Dependent(e) && (x.opts.fault != keepAsleep || b.Thread == e.Thread) {
			return false
		}
		if e.Buffers(&b.Event) {
			b = x.answeredAfter(b, e)
		}
		if b.AddsAlike(e) {
			if b = x.addsAfter(b); b == nil {
				return false
			}
		}
		x.sleep = append(x.sleep, b)
		return true
	}
	for i := p.sleeps; i < p.sleeps+p.strays; i++ {
		if keep(x.sleep[i]) {
			n.strays++
		}
	}
	if p.shared != nil {
		// Branches that others are exploring sleep too, but their results aren't in
		// the wakeup tree yet: see wakeup.go.
		for b := p.done; b != nil; b = b.next {
			if !b.finished && keep(b) && x.opts.fault != calmSleep {
				n.strays++
			}
		}
	}
	for i := p.sleeps + p.strays; i < p.slept; i++ {
		keep(x.sleep[i])
	}
	for b := p.done; b != nil; b = b.next {
		if p.shared == nil || b.finished {
			keep(b)
		}
	}
	n.slept = int32(len(x.sleep))
}
