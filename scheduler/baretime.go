package scheduler

import (
	"slices"

	"landgo/trace"
)

// Sleep. Ticks can come as often as the search likes, but a sleep must not end
// before one that ends earlier by the kernel's own clock and whose thread then
// never got to execute an instruction: no timer is so fast, and a kernel's tests
// of its clock take that for granted. So of the threads that sleep those can run
// that wake first when nothing but time passes. Who they are only the kernel
// knows; it is found out by letting time pass, and taking that back.

// maxIdle is how many ticks may pass until somebody wakes.
const maxIdle = 20_000

// wakesFirst reports whether a thread that sleeps is one of those.
func (s *Bare) wakesFirst(t trace.TID) bool {
	if s.wakers == nil {
		s.wakers = s.findWakers()
	}
	return slices.Contains(s.wakers, t)
}

// findWakers lets time pass, and takes it back.
func (s *Bare) findWakers() []trace.TID {
	k := s.markAlone()
	wide, current := s.wide, s.current
	wakers := s.passTime()
	s.rewindAlone(k)
	s.marks = s.marks[:k]
	s.set, s.wide, s.current = 0, wide, current
	return wakers
}

// passTime lets ticks pass until a thread that sleeps now is ready, and names all
// that are then: none, but not nil, if it takes too long.
func (s *Bare) passTime() []trace.TID {
	asleep, wakers := []trace.TID{}, []trace.TID{}
	for i := range s.threads {
		if th := &s.threads[i]; s.exists[i] && th.live() && th.own.state == ownSleeping {
			asleep = append(asleep, th.id)
		}
	}
	tr := &trace.Transition{Thread: trace.TID(s.running)}
	for range maxIdle {
		r := &s.threads[s.running]
		done, err := false, error(nil)
		switch {
		case s.on == 0 && r.own.interrupted:
			done, err = s.land(r, tr)
		case s.on == 0:
			done, err = s.tail(r, tr)
		default:
			done, err = s.tick(r, tr)
		}
		if done || err != nil {
			break // what is wrong shows when it is done for good
		}
		if s.look(tr) != nil {
			break
		}
		for _, t := range asleep {
			if s.threads[t].own.state == ownReady {
				wakers = append(wakers, t)
			}
		}
		if len(wakers) > 0 {
			break
		}
	}
	return wakers
}
