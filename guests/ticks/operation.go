package ticks

import "slices"

// kind is what an operation does. All but the last group are a section each.
type kind uint8

const (
	begin  kind = iota // a new thread's work before it turns interrupts on
	create             // a thread with program a and priority b
	join               // thread a
	exit
	yield
	acquire // lock a
	release
	down // semaphore a
	up
	wait   // condition a, lock b: the acquisition is an operation of its own
	signal // condition a
	now
	sleep // a ticks
	end   // power off

	// The operations of the mistakes.
	gap       // interrupts off and on again
	look      // down, if a isn't 0: then to operation c
	downBlind // sleeps, whatever a is
	lookEnded // with interrupts on: thread a has ended, to operation c
	joinBlind // waits, whatever thread a does
	exitWake  // the first half of exit, and
	exitLeave // the second
	upWake    // the first half of up, and
	upCount   // the second
	sleepLate // for b ticks: on the list of sleepers already

	// With interrupts on; no other thread is at what they look at.
	add      // b to the value of a
	jumpIf   // a's value is b: to operation c
	mustHave // a's value is at least b
	mustNot  // a's value isn't b
)

type operation struct {
	kind    kind
	a, b, c int
	says    string // mustHave, if it fails
}

func (s *state) operation(t int) operation {
	th := s.threads[t]
	return s.test.programs[th.program][th.at]
}

// local brings the current thread to its next section.
func (s *state) local() {
	for s.current != noThread && s.bad == "" && s.threads[s.current].phase == before {
		t := s.current
		op := s.operation(t)
		switch op.kind {
		case add:
			s.objects[op.a].value += op.b
		case jumpIf:
			if s.objects[op.a].value == op.b {
				s.threads[t].at = op.c
				continue
			}
		case mustHave:
			if s.objects[op.a].value < op.b {
				s.fail(op.says)
			}
		case mustNot:
			if s.objects[op.a].value == op.b {
				s.fail("the model")
			}
		case lookEnded:
			if s.threads[op.a].status == ended {
				s.threads[t].at = op.c
				continue
			}
		default:
			return
		}
		s.threads[t].at++
	}
}

// stretch runs the current thread from where it stands until interrupts are on
// again or another thread has the processor.
func (s *state) stretch() {
	t := s.current
	th := &s.threads[t]
	op := s.operation(t)
	if th.phase == tail {
		s.leave(t)
		return
	}
	switch op.kind {
	case begin, gap, now:
		s.leave(t)
	case create:
		s.threads = append(s.threads, thread{program: op.a, priority: op.b, own: op.b, joiner: noThread, wanted: noThread})
		s.wake(len(s.threads) - 1)
		s.giveWay(t)
	case join:
		s.join(t, op.a, th.phase == begun || s.threads[op.a].status == ended)
	case exit:
		if th.joiner != noThread {
			s.wake(th.joiner)
		}
		th.status = ended
		s.schedule()
	case yield:
		s.yield(t)
	case acquire:
		s.acquire(t, op.a)
	case release:
		if s.letGo(t, op.a) && s.mistakes.ReleaseOff {
			s.fail("interrupts_on()")
		}
		s.giveWay(t)
	case down:
		o := &s.objects[op.a]
		if o.value == 0 {
			o.waiters = append(o.waiters, t)
			th.phase = begun
			s.block(t)
			return
		}
		o.value--
		s.leave(t)
	case up:
		s.wakeOne(op.a)
		s.objects[op.a].value++
		s.giveWay(t)
	case wait:
		s.letGo(t, op.b)
		s.objects[op.a].waiters = append(s.objects[op.a].waiters, t)
		th.phase = tail
		s.block(t)
	case signal:
		s.wakeOne(op.a)
		s.giveWay(t)
	case sleep:
		th.wake = op.a
		s.sleepers = append(s.sleepers, t)
		th.phase = tail
		s.block(t)
	case end:
		s.off = true
	default:
		s.mistaken(t, op)
	}
}

// mistaken is stretch for what is in no kernel without a mistake.
func (s *state) mistaken(t int, op operation) {
	th := &s.threads[t]
	switch op.kind {
	case look:
		if s.objects[op.a].value == 0 {
			s.leave(t)
			return
		}
		s.objects[op.a].value--
		th.at = op.c
	case downBlind:
		o := &s.objects[op.a]
		switch {
		case th.phase == before:
			o.waiters = append(o.waiters, t)
			th.phase = begun
			s.block(t)
		case o.value == 0:
			th.phase = before // and blind again
		default:
			o.value--
			s.leave(t)
		}
	case joinBlind:
		s.join(t, op.a, th.phase == begun)
	case exitWake:
		if th.joiner != noThread {
			s.wake(th.joiner)
		}
		s.leave(t)
	case exitLeave:
		th.status = ended
		s.schedule()
	case upWake:
		s.wakeOne(op.a)
		s.leave(t)
	case upCount:
		s.objects[op.a].value++
		s.leave(t)
	case sleepLate:
		if th.status == ready && !slices.Contains(s.sleepers, t) {
			th.wake = op.b
			s.sleepers = append(s.sleepers, t)
			return
		}
		th.phase = tail
		s.block(t)
	}
}

func (s *state) wakeOne(o int) {
	if len(s.objects[o].waiters) > 0 {
		s.wake(s.take(&s.objects[o].waiters))
	}
}

func (s *state) acquire(t, lock int) {
	th, l := &s.threads[t], &s.objects[lock]
	th.wanted = noThread
	if l.holder == noThread {
		l.holder = t
		th.held = append(th.held, lock)
		s.leave(t)
		return
	}
	th.wanted = lock
	for w := lock; w != noThread && s.objects[w].holder != noThread && !s.mistakes.DonationMissed; {
		h := &s.threads[s.objects[w].holder]
		if h.priority >= th.priority {
			break
		}
		h.priority = th.priority
		w = h.wanted
	}
	l.waiters = append(l.waiters, t)
	th.phase = begun
	s.block(t)
}

// letGo is a release up to the chance that it gives to others; true: a thread
// waited.
func (s *state) letGo(t, lock int) bool {
	th := &s.threads[t]
	th.held = slices.DeleteFunc(th.held, func(l int) bool { return l == lock })
	s.objects[lock].holder = noThread
	waited := len(s.objects[lock].waiters) > 0
	s.wakeOne(lock)
	th.priority = th.own
	for _, l := range th.held {
		for _, w := range s.objects[l].waiters {
			if !s.mistakes.DonationDropped {
				th.priority = max(th.priority, s.threads[w].priority)
			}
		}
	}
	return waited
}

// join frees thread u, for t, if it has ended, as far as t knows; else t waits
// for it.
func (s *state) join(t, u int, over bool) {
	if over {
		s.threads[u].freed = true
		s.leave(t)
		return
	}
	s.threads[u].joiner = t
	s.threads[t].phase = begun
	s.block(t)
}
