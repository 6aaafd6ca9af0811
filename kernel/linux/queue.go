package linux

import (
	"landgo/internal/trace"
	"landgo/kernel/effect"
)

// waitKind is the kind of a thread's sleep.
type waitKind = uint64

const (
	awake       waitKind = iota
	waitFutex            // in a futex queue
	waitPI               // in a futex queue, for ownership
	waitSignals          // for signals only (pause, sigsuspend, sigtimedwait)
	waitObjects          // for events of objects, see interest.go
	waitLeaving          // still in a futex queue: a signal has woken it, see lasttry.go
)

const noDeadline = ^uint64(0)

// queue holds the threads that wait at one futex address, linked through
// thread.wait in ascending order of thread ids. So the order of arrivals isn't
// part of the state. Behind them are those that wait for ownership, as they came: each of
// these has written the futex.
type queue struct {
	head effect.Word // 1 + TID of the first
}

// queues are those of all futexes: the threads that sleep, and what ends their sleep.
type queues struct {
	now     *doing
	log     *effect.Log
	user    *user
	roster  *roster
	objects *objects

	at      map[uint64]*queue // by address; grows only
	leaving []departure       // scratch
}

// queue is the queue of an address.
func (qs *queues) queue(addr uint64) *queue {
	q := qs.at[addr]
	if q == nil {
		q = new(queue)
		qs.at[addr] = q
	}
	return q
}

// waiters lists those at addr that a wake with these bits would find, of one
// kind.
func (qs *queues) waiters(addr uint64, kind waitKind, bits uint64) []*thread {
	q := qs.at[addr]
	if q == nil {
		return nil
	}
	var found []*thread
	for next := q.head.Peek(); next != 0; {
		t := qs.roster.threads[next-1]
		if t.isFor(kind, bits) {
			found = append(found, t)
		}
		next = t.wait.next.Peek()
	}
	return found
}

// isFor reports whether a wake with these bits is for t, which waits at its address.
func (t *thread) isFor(kind waitKind, bits uint64) bool {
	own, is := t.wait.bits.Peek(), t.wait.kind.Peek()
	return (is == kind || is == waitLeaving && kind == waitFutex) && own&bits&matchAny != 0 && (own^bits)&notPrivate == 0
}

// count is the number of those waiters.
func (qs *queues) count(addr uint64, kind waitKind, bits uint64) uint64 {
	q := qs.at[addr]
	if q == nil {
		return 0
	}
	var n uint64
	for next := q.head.Peek(); next != 0; {
		t := qs.roster.threads[next-1]
		if t.isFor(kind, bits) {
			n++
		}
		next = t.wait.next.Peek()
	}
	return n
}

// enqueue puts t to sleep at addr. For waitSignals that is not a queue's
// address, but the place where sigwait wants the signal's number.
func (qs *queues) enqueue(t *thread, kind waitKind, addr, bits, deadline uint64) {
	qs.log.Init(&t.wait.kind, kind)
	qs.log.Init(&t.wait.addr, addr)
	qs.log.Init(&t.wait.bits, bits)
	qs.log.Init(&t.wait.deadline, deadline)
	switch kind {
	case waitSignals:
		qs.log.Set(&t.awaited, bits)
		return
	case waitObjects:
		return
	}
	link := &qs.queue(addr).head
	for link.Peek() != 0 {
		before := qs.roster.threads[link.Peek()-1]
		if kind != waitPI && (before.wait.kind.Peek() == waitPI || before.number > t.number) {
			break
		}
		link = &before.wait.next
	}
	qs.log.Init(&t.wait.next, link.Peek())
	qs.log.Init(link, uint64(t.id)+1)
}

// dequeue ends the sleep of t without a result.
func (qs *queues) dequeue(t *thread) {
	switch t.wait.kind.Peek() {
	case waitSignals:
		qs.log.Set(&t.awaited, 0)
	case waitObjects:
		qs.log.Init(&t.wait.kind, awake)
		qs.objects.loseInterests(t)
	default:
		link := &qs.queue(t.wait.addr.Peek()).head
		for link.Peek() != uint64(t.id)+1 {
			link = &qs.roster.threads[link.Peek()-1].wait.next
		}
		qs.log.Init(link, t.wait.next.Peek())
		qs.log.Init(&t.wait.next, 0)
	}
	qs.log.Init(&t.wait.kind, awake)
	qs.log.Init(&t.wait.deadline, noDeadline)
}

// wake lets t go with a result.
func (qs *queues) wake(t *thread, result uint64) {
	qs.dequeue(t)
	qs.now.host.SetResult(t.id, result)
	qs.now.wakes = append(qs.now.wakes, t.id)
}

// wakeSome lets n of the waiters at addr go, as the call's choice says, and
// returns how many there were to let go.
func (qs *queues) wakeSome(addr, bits, n uint64) uint64 {
	w := qs.waiters(addr, waitFutex, bits)
	if len(w) == 0 {
		return 0
	}
	for i, taken := range pick(&qs.now.call.choice, uint64(len(w)), n) {
		switch {
		case !taken:
		case w[i].leaves():
			qs.wakeLeaving(w[i])
		default:
			qs.wake(w[i], 0)
		}
	}
	return min(n, uint64(len(w)))
}

// futexOp is an operation on the queue of a futex word. It has no bytes: what the
// call does with the word is accesses, and a wake uses the address as a name only.
func futexOp(kind trace.OpKind, addr uint64) trace.Op {
	return trace.Op{Kind: kind, Obj: addr}
}
