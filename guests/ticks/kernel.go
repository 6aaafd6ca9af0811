// Package ticks is a model of guests/kernel at the grain of its sections without
// interrupts, and counts by brute force in how many ways they can follow each
// other. It shares no code with landgo's searches, nor with its machine: it is
// the judge of the counts in guests/kernel/expect.json.
//
// Its assumptions are in guests/kernel/README.md: the ready list's order, that a tick can
// come wherever interrupts are on and nowhere else. So is that a thread which was switched
// away from inside a section goes on there, with interrupts still off. So it knows not only
// which threads are ready but which of them a sequence of ticks can reach.
package ticks

import (
	"fmt"
	"slices"
)

const (
	normal   = 31
	noThread = -1
)

type status uint8

const (
	blocked status = iota
	ready          // in the ready list, or running
	ended
)

// phase says where in its operation a thread stands.
type phase uint8

const (
	before phase = iota // interrupts are on
	begun               // in a section that it left by blocking, with the rest to do
	tail                // in a section that has nothing left to do
)

type thread struct {
	program  int // of the test's
	at       int // the operation
	phase    phase
	status   status
	priority int
	own      int
	joiner   int
	wanted   int   // a lock, or noThread
	held     []int // locks, last acquired last
	wake     int   // the ticks that it still sleeps
	freed    bool  // its page is no thread's any more
}

type object struct {
	holder  int // of a lock
	value   int // of a semaphore, or items in a buffer
	waiters []int
}

// A state is the kernel between two stretches of a thread.
type state struct {
	test     *Test
	mistakes Mistakes
	threads  []thread
	ready    []int
	sleepers []int
	objects  []object
	current  int // noThread: the idle thread
	off      bool
	// bad is what went wrong; it is the end too.
	bad string
}

func start(t *Test, m Mistakes) *state {
	s := &state{test: t, mistakes: m, objects: make([]object, objects+1), current: 0}
	for i := range s.objects {
		s.objects[i].holder = noThread
	}
	s.threads = []thread{{status: ready, priority: normal, own: normal, joiner: noThread, wanted: noThread}}
	return s
}

func (s *state) clone() *state {
	c := *s
	c.threads = slices.Clone(s.threads)
	for i := range c.threads {
		c.threads[i].held = slices.Clone(c.threads[i].held)
	}
	c.ready, c.sleepers = slices.Clone(s.ready), slices.Clone(s.sleepers)
	c.objects = slices.Clone(s.objects)
	for i := range c.objects {
		c.objects[i].waiters = slices.Clone(c.objects[i].waiters)
	}
	return &c
}

// key is the same for equal states only.
func (s *state) key() string {
	return fmt.Sprint(s.threads, s.ready, s.sleepers, s.objects, s.current, s.off, s.bad)
}

// best is the index in q of the first thread with the highest priority.
func (s *state) best(q []int) int {
	b := 0
	for i, t := range q {
		if s.threads[t].priority > s.threads[q[b]].priority {
			b = i
		}
	}
	return b
}

func (s *state) take(q *[]int) int {
	b := s.best(*q)
	t := (*q)[b]
	*q = slices.Delete(*q, b, b+1)
	return t
}

func (s *state) fail(what string) {
	if s.bad == "" {
		s.bad = what
	}
}

// schedule gives the processor to the next thread. Idle, it lets ticks pass
// until a sleeper wakes; no thread is left to wake the others then.
func (s *state) schedule() {
	for len(s.ready) == 0 {
		if len(s.sleepers) == 0 {
			s.current = noThread
			s.fail("deadlock")
			return
		}
		s.pass()
	}
	s.current = s.take(&s.ready)
}

// enqueue puts t behind the others on the ready list.
func (s *state) enqueue(t int) {
	for _, u := range s.ready {
		if s.threads[u].freed {
			s.fail("use-after-free")
		}
	}
	s.ready = append(s.ready, t)
}

// pass is what a tick does to the sleepers.
func (s *state) pass() {
	for _, t := range slices.Clone(s.sleepers) {
		if s.threads[t].wake--; s.threads[t].wake <= 0 {
			s.sleepers = slices.DeleteFunc(s.sleepers, func(u int) bool { return u == t })
			s.wake(t)
		}
	}
}

// tick interrupts the current thread, which stands where interrupts are on.
func (s *state) tick() {
	s.pass()
	if len(s.ready) > 0 {
		s.enqueue(s.current)
		s.schedule()
	}
}

func (s *state) wake(t int) {
	if s.threads[t].status != blocked {
		s.fail("t->state == BLOCKED")
		return
	}
	s.threads[t].status = ready
	s.enqueue(t)
}

func (s *state) block(t int) {
	s.threads[t].status = blocked
	s.schedule()
}

// giveWay ends a section, at once or after a better thread.
func (s *state) giveWay(t int) {
	if len(s.ready) > 0 && s.threads[s.ready[s.best(s.ready)]].priority > s.threads[t].priority {
		s.yield(t)
		return
	}
	s.leave(t)
}

func (s *state) yield(t int) {
	s.threads[t].phase = tail
	s.enqueue(t)
	s.schedule()
}

// leave turns interrupts on at the end of t's section.
func (s *state) leave(t int) {
	s.threads[t].phase = before
	s.threads[t].at++
}
