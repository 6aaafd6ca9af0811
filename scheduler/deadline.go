package scheduler

import (
	"slices"

	"landgo/internal/trace"
)

// Which wait runs out when no thread can run, and for which loop time passes then.

// letExpire makes the timed wait with the earliest deadline ready when no other thread
// is: a wait runs out only when no other thread can run.
func (s *System) letExpire(list []trace.Thread) {
	t, also := s.nextDeadline()
	for i := range list {
		if list[i].ID == t || slices.Contains(also, list[i].ID) {
			s.expires(&list[i], t, also)
		}
	}
}

// expires has the description of a thread say that its wait runs out: t's, or with it another one.
func (s *System) expires(d *trace.Thread, t trace.TID, also []trace.TID) {
	if d.Expiring = !s.threads[t].isTimer(); d.ID == t {
		d.Status, d.Outcomes = trace.Ready, 1+uint32(min(len(also), 2))
	}
}

// nextDeadline is the timer that goes off next, if one is set; else the thread whose timed
// wait runs out first; without one, that for whose loop time passes. also are the other threads
// whose time is over by then.
func (s *System) nextDeadline() (t trace.TID, also []trace.TID) {
	if s.timers.on() {
		if t := s.timers.next(); t != trace.NoThread {
			return t, nil
		}
	}
	t, when := s.nextWait()
	if o, at := s.nextToWake(); o != trace.NoThread && (t == trace.NoThread || at < when) {
		return o, nil
	}
	if t != trace.NoThread {
		return t, s.overBy(when, t)
	}
	return s.nextPoll(), nil
}

// Polls reports whether a thread spins in a loop that looks at the clock, and is the one
// for which time passes next, as no thread can run.
func (s *System) Polls(t trace.TID) bool {
	if int(t) >= len(s.threads) || !s.threads[t].Exists || !looksAtClock(&s.threads[t]) {
		return false
	}
	threads := s.Threads(nil)
	return threads[slices.IndexFunc(threads, func(o trace.Thread) bool { return o.ID == t })].Expiring
}

// Unspin makes a thread that spins ready to run on, if it does; but one that is to go on
// because time passes.
func (s *System) Unspin(t trace.TID) {
	if th := &s.threads[t]; th.Exists && th.Stand == StandSpin && !s.Polls(t) {
		s.edit(t).Stand = th.spinStand
	}
}
