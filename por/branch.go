package por

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// branch is one way on from a state: a step of a thread with an outcome. It is
// an entry of a backtrack set, of a sleep set, or a node of a wakeup tree, and
// holds what dependence needs to know of the step. Steps are named by thread,
// choice and, against points that became finer, by the thread's instruction
// number at their end.
type branch struct {
	relation.Step
	last uint64  // the thread's instruction number after the step, 0 if unknown
	next *branch // the next branch of the same state
	// finished, of a branch taken from a shared state: nothing is left to explore
	// below it.
	finished bool
	// The steps to run after it, the wakeup tree below: those of chain, one after
	// the other, then one of kids. Neither: it is a leaf. Trees share the steps of
	// chains, which stay as they are: to take a step of one, make a branch of it
	// (pool.below).
	chain []*branch
	kids  *branch
	// again: it was run before, and only leads back to where to go on.
	again bool
	// For searches within a bound (bpor.go): the price up to and with the step, and
	// whether something below it was cut off. Also whether it was a yield or
	// changed which other threads can run.
	price        int32
	cut, changes bool
	conservative bool // it was added because of the bound
}

// blur makes b what the step may do in another context: see relation.Step.
func (b *branch) blur(oneEvent bool) (varies bool) {
	b.last = 0
	return b.Blur(oneEvent)
}

// pool hands out branches and takes them back, so that a search makes little
// garbage.
type pool struct{ free []*branch }

func (p *pool) get() *branch {
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		return b
	}
	return new(branch)
}

// named returns a branch with its name only.
func (p *pool) named(t trace.TID, c trace.Choice) *branch {
	b := p.get()
	b.Thread, b.Choice, b.Wild = t, c, true
	return b
}

// copy returns a branch of its own for what e did.
func (p *pool) copy(e *relation.Event, last uint64) *branch {
	b := p.get()
	b.Copy(e)
	b.last = last
	return b
}

func (p *pool) put(b *branch) {
	if len(p.free) >= relation.PoolSpare {
		return
	}
	b.Clear()
	*b = branch{Step: b.Step}
	p.free = append(p.free, b)
}

// putAll takes back a list of branches and all below.
func (p *pool) putAll(b *branch) {
	for b != nil {
		next := b.next
		p.putAll(b.kids)
		p.put(b)
		b = next
	}
}

// below is the wakeup tree after the step of b.
func (p *pool) below(b *branch) **branch {
	if len(b.chain) > 0 {
		c := p.get()
		c.Event, c.last, c.chain, c.kids = b.chain[0].Event, b.chain[0].last, b.chain[1:], b.kids
		b.chain, b.kids = nil, c
	}
	return &b.kids
}

// split makes a branch of step k of b's chain.
func (p *pool) split(b *branch, k int) {
	before := b.chain[:k]
	b.chain = b.chain[k:]
	p.below(b)
	b.chain = before
}

// unfold makes branches of all chains in a wakeup tree, which several are to
// look at.
func (p *pool) unfold(b *branch) {
	for ; b != nil; b = b.next {
		p.unfold(*p.below(b))
	}
}

// copies returns a wakeup tree like b's list, for looking at and adding to: what
// its steps did is b's.
func (p *pool) copies(b *branch) (list *branch) {
	tail := &list
	for ; b != nil; b = b.next {
		c := p.get()
		c.Event, c.last, c.again = b.Event, b.last, b.again
		c.chain, c.kids = b.chain, p.copies(b.kids)
		*tail = c
		tail = &c.next
	}
	return list
}

// remove takes a step out of a list.
func remove(list **branch, t trace.TID, c trace.Choice) *branch {
	for ; *list != nil; list = &(*list).next {
		if b := *list; b.Thread == t && b.Choice == c {
			*list, b.next = b.next, nil
			return b
		}
	}
	return nil
}

func add(list **branch, b *branch) {
	for *list != nil {
		list = &(*list).next
	}
	*list = b
}

func find(list *branch, t trace.TID, c trace.Choice) *branch {
	for ; list != nil; list = list.next {
		if list.Thread == t && list.Choice == c {
			return list
		}
	}
	return nil
}
