package enumerate

import "slices"

// step carries out a ready thread's next event, with the given outcome, and
// runs its private statements up to the one after. It returns what the event
// used; the slice is fresh.
func (s *state) step(t, outcome int) []use {
	th := &s.threads[t]
	i := s.next(t)
	th.done++
	th.pc++
	th.released = false
	uses, effect := s.carryOut(t, i, outcome)
	s.spinObserve(t, uses, effect)
	if th.life == running && !s.ended {
		s.settle(t)
	}
	return uses
}

// carryOut is the meaning of each event. effect is whether another thread could
// tell that it happened: false for reads, silent stores, failed attempts and
// yields.
func (s *state) carryOut(t int, i *instr, outcome int) (uses []use, effect bool) {
	th := &s.threads[t]
	r := &th.regs
	on := func(c class, obj int, m mode) { uses = append(uses, use{c, obj, m}) }
	switch i.kind {
	case opLoad, opStore, opFetchAdd, opExchange, opCAS:
		return s.memoryEvent(t, i)
	case opLock, opReacquire, opTryLock, opUnlock, opDestroy:
		return s.mutexEvent(t, i)
	case opCondWait, opSignal, opBroadcast:
		return s.condEvent(t, i, outcome)

	case opDown:
		on(sem, i.a(r), write)
		s.sems[i.a(r)]--
		effect = true
	case opUp:
		on(sem, i.a(r), post)
		s.sems[i.a(r)]++
		effect, th.released = true, true
	case opReadLock:
		on(rwlock, i.a(r), share)
		s.rws[i.a(r)].readers |= 1 << t
		effect = true
	case opWriteLock:
		on(rwlock, i.a(r), write)
		s.rws[i.a(r)].writer = t
		effect = true
	case opReadUnlock:
		on(rwlock, i.a(r), share)
		s.rws[i.a(r)].readers &^= 1 << t
		effect, th.released = true, true
	case opWriteUnlock:
		on(rwlock, i.a(r), write)
		s.rws[i.a(r)].writer = -1
		effect, th.released = true, true

	case opArrive:
		s.arrive(t, i.a(r))
		on(barrier, i.a(r), write)
		effect = true
	case opLeave:
		th.woken = false
		effect = true
	case opOnceBegin:
		on(once, i.a(r), write)
		if o := &s.onces[i.a(r)]; *o == 0 {
			*o, effect = 1+t, true
		} else {
			th.pc = i.to
		}
	case opOnceEnd:
		on(once, i.a(r), write)
		s.onces[i.a(r)] = -1
		effect = true

	case opCreate:
		child := i.a(r)
		on(threadObj, child, order)
		s.threads[child].life = running
		s.settle(child)
		effect = true
	case opJoin:
		on(threadObj, i.a(r), order)
		effect = true
	case opYield:
	case opExit:
		on(threadObj, t, order)
		s.exit(t)
		effect = true
	case opEnd:
		on(process, 0, write)
		s.ended, effect = true, true
		s.bug, s.message = i.bug, i.message
	}
	return uses, effect
}

// memoryEvent is carryOut for accesses to memory.
func (s *state) memoryEvent(t int, i *instr) (uses []use, effect bool) {
	r := &s.threads[t].regs
	at := i.a(r)
	on := func(m mode) { uses = append(uses, use{cell, at, m}) }
	switch i.kind {
	case opLoad:
		on(read)
		r[i.dst] = s.memory[at]
	case opStore:
		v := i.b(r)
		on(write)
		effect = s.memory[at] != v
		s.memory[at] = v
	case opFetchAdd, opExchange:
		v := i.b(r)
		on(write)
		old := s.memory[at]
		if i.kind == opFetchAdd {
			v += old
		}
		effect = old != v
		s.memory[at], r[i.dst] = v, old
	case opCAS:
		v := i.c(r)
		if old := s.memory[at]; old != i.b(r) {
			on(read)
			r[i.dst] = 0
		} else {
			on(write)
			effect = old != v
			s.memory[at], r[i.dst] = v, 1
		}
	}
	return uses, effect
}

// mutexEvent is carryOut for mutexes.
func (s *state) mutexEvent(t int, i *instr) ([]use, bool) {
	th := &s.threads[t]
	at := i.a(&th.regs)
	m := &s.mutexes[at]
	uses := []use{{mutex, at, write}}
	switch {
	case m.destroyed:
		s.fail(LockMisuse, "destroyed mutex")
	case i.kind == opTryLock && m.holder >= 0:
		th.regs[i.dst] = 0
		uses[0].mode = failed
		return uses, false
	case i.kind == opTryLock:
		th.regs[i.dst] = 1
		m.holder = t
	case i.kind == opUnlock:
		if m.holder != t {
			s.fail(LockMisuse, "unlock by another")
		}
		m.holder, th.released = -1, true
	case i.kind == opDestroy:
		if m.holder >= 0 {
			s.fail(LockMisuse, "destroy while held")
		}
		m.destroyed = true
	case m.holder == t:
		s.fail(LockMisuse, "lock twice")
	default: // opLock, opReacquire
		m.holder, th.woken = t, false
	}
	return uses, true
}

// condEvent is carryOut for condition variables.
func (s *state) condEvent(t int, i *instr, outcome int) ([]use, bool) {
	th := &s.threads[t]
	c := i.a(&th.regs)
	uses := []use{{cond, c, write}}
	queue := s.queues[c]
	switch i.kind {
	case opCondWait:
		m := i.b(&th.regs)
		if s.mutexes[m].holder != t {
			s.fail(LockMisuse, "wait without the mutex")
		}
		s.mutexes[m].holder = -1
		s.queues[c] = append(slices.Clip(queue), t)
		return append(uses, use{mutex, m, write}), true
	case opSignal:
		th.released = true
		if len(queue) == 0 {
			return uses, false
		}
		s.threads[queue[outcome]].woken = true
		s.queues[c] = slices.Delete(slices.Clone(queue), outcome, outcome+1)
	case opBroadcast:
		th.released = true
		for _, w := range queue {
			s.threads[w].woken = true
		}
		s.queues[c] = nil
		return uses, len(queue) > 0
	}
	return uses, true
}

// arrive lets all threads leave a barrier once all have come.
func (s *state) arrive(t, b int) {
	come := append(slices.Clip(s.arrived[b]), t)
	if len(come) == s.barriers[b] {
		for _, w := range come {
			s.threads[w].woken = true
		}
		come = nil
	}
	s.arrived[b] = come
}

// exit ends a thread; one that still holds a mutex is a bug.
func (s *state) exit(t int) {
	s.threads[t].life = exited
	for m := range s.mutexes {
		if s.mutexes[m].holder == t && !s.mutexes[m].destroyed {
			s.fail(LockMisuse, "exit while holding")
		}
	}
}
