package explore

import (
	"errors"

	"landgo/internal/explore/session"
	"landgo/internal/explore/shorter"
	"landgo/internal/explore/story"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// An execution above trusted functions is followed with the library's own: each thread runs
// to where it stood after each of its steps. That place is an instruction, and how many
// calls of these functions the thread has begun by then (scheduler/library/entered.go). A
// thread that waits for a trusted mutex hasn't begun to lock it, so here it isn't let in
// before the mutex is free either. One that waits in a condition variable has given its
// mutex back, so here it runs on until it sleeps. Each other call finds what it needs and
// ends alone. So a library that is right follows, whatever order it serves
// waiters in; one that wakes another waiter than the execution's doesn't. When the events are
// used up, all threads run until none can: those that wait for a mutex then wait in it, and
// a deadlock shows.
//
// The failure that comes is the tested library's, and its schedule is of that.

// event is a step of an execution above trusted functions, and where its thread stood then.
type event struct {
	thread  string
	choice  trace.Choice
	carried bool   // the step is a trusted function's
	ended   bool   // the thread's end was part of it
	pc      uint64 // where it stood then
	within  bool   // that is a trusted function
	sleeps  bool   // which it has begun, and waits
	calls   int    // of trusted functions that it had begun, the one at which it stood too
}

// eventsOf lists the events of a path.
func eventsOf(s *session.Session, path []por.PathStep) (list []event, err error) {
	s.Guest.Rewind(s.Root)
	for i := range path {
		p := path[i]
		pc := s.Guest.PC(p.Thread)
		before, _ := s.Entered(p.Thread)
		e := event{thread: s.Guest.Name(p.Thread), choice: p.Choice, carried: s.Carries(pc)}
		tr, err := s.Take(&p)
		if err != nil {
			return nil, err
		}
		e.pc, e.ended = s.Guest.PC(p.Thread), tr.End == trace.EndThread
		e.calls, _ = s.Entered(p.Thread)
		e.within = s.Carries(e.pc)
		e.sleeps = e.within && e.carried && e.calls == before
		list = append(list, e)
	}
	return list, nil
}

const (
	// confirmTries is how often an execution begins again with finer steps.
	confirmTries = 64
	// confirmWithin is how many steps a thread may take from one event to the next, and
	// confirmAfter all threads behind the last.
	confirmWithin, confirmAfter = 2_000, 20_000
)

// confirm looks for a rung's bug in the library as it is; nil: it hasn't got it there.
func (d *deepening) confirm(r *rung, f *finding) *finding {
	if r.coarse() {
		return d.asIs(r, f)
	}
	if len(r.pieces) > 0 {
		return d.confirmPieces(r, f)
	}
	events, err := eventsOf(r.Session, f.path)
	if err != nil {
		return nil
	}
	s, err := d.Counting(r.trust)
	if err != nil {
		if s != nil {
			s.Close()
		}
		return nil
	}
	defer s.Close()
	h := besides(s)
	if _, err := s.Guest.Learn(r.Guest.Knowledge()); err != nil {
		return nil // it met threads in another order
	}
	for range confirmTries {
		c := &confirmer{hunt: h}
		err := c.along(events)
		switch {
		case errors.Is(err, por.ErrFiner):
			continue
		case err != nil || c.failure == nil:
			return nil
		}
		own, err := scheduled(h, &finding{failure: *c.failure, key: h.key(c.failure), path: c.path})
		if err != nil {
			return nil
		}
		return own
	}
	return nil
}

// confirmPieces runs an execution in which some functions run as one piece where they
// needn't.
func (d *deepening) confirmPieces(r *rung, f *finding) *finding {
	schedule, err := story.Schedule(r.Session, f.path)
	if err != nil {
		return nil
	}
	s, err := d.Another()
	if err != nil {
		if s != nil {
			s.Close()
		}
		return nil
	}
	defer s.Close()
	path, failure, err := s.FollowAll(schedule)
	if err != nil || failure == nil {
		return nil
	}
	h := besides(s)
	own, err := scheduled(h, &finding{failure: *failure, key: h.key(failure), path: path})
	if err != nil {
		return nil
	}
	return own
}

// confirmer follows the events of an execution.
type confirmer struct {
	*hunt
	path    []por.PathStep
	failure *scheduler.Failure
	over    bool // the execution has ended
	threads []trace.Thread
}

// errAway: a thread doesn't get to where it stood.
var errAway = errors.New("a thread goes another way")

// along follows events, and then runs all threads on.
func (c *confirmer) along(events []event) error {
	c.Guest.Rewind(c.Root)
	for i := range events {
		e := &events[i]
		t, ok := c.Guest.Lookup(e.thread)
		if !ok {
			return errAway
		}
		if !e.carried {
			if err := c.step(t, e.choice); err != nil || c.over {
				return err
			}
		}
		if err := c.bring(t, e); err != nil || c.over {
			return err
		}
	}
	for range confirmAfter {
		c.threads = c.Guest.Threads(c.threads[:0])
		t := por.Afterwards(c.threads, shorter.Ran(c.path, c.IsArrival))
		if t == trace.NoThread {
			c.failure, c.over = c.Guest.Stuck(false), true
			return nil
		}
		if err := c.step(t, 0); err != nil || c.over {
			return err
		}
	}
	return errAway
}

// bring runs a thread until it stands where it did after an event.
func (c *confirmer) bring(t trace.TID, e *event) error {
	for range confirmWithin {
		c.threads = c.Guest.Threads(c.threads[:0])
		th := session.Find(c.threads, t)
		if th == nil || th.Status == trace.Exited {
			if e.ended {
				return nil
			}
			return errAway
		}
		calls, within := c.Entered(t)
		switch {
		case e.ended:
		case e.sleeps && calls == e.calls && within && th.Status != trace.Ready,
			e.within && !e.sleeps && calls >= e.calls,
			!e.within && calls == e.calls && !within && c.Guest.PC(t) == e.pc:
			return nil
		case calls > e.calls || e.sleeps && calls == e.calls && !within:
			return errAway
		}
		if err := c.step(t, 0); err != nil || c.over {
			return err
		}
	}
	return errAway
}

// step takes one step of a thread.
func (c *confirmer) step(t trace.TID, choice trace.Choice) error {
	c.threads = c.Guest.Threads(c.threads[:0])
	th := session.Find(c.threads, t)
	if th == nil || th.Status != trace.Ready || uint32(choice) >= max(th.Outcomes, 1) {
		return errAway
	}
	p := por.PathStep{Thread: t, Choice: choice, Begin: c.Guest.Position(t).Insns}
	tr, err := c.Guest.Step(t, choice)
	if err != nil {
		return err
	}
	p.Last = tr.Last
	c.path = append(c.path, p)
	switch tr.End {
	case trace.EndBug:
		c.failure, c.over = c.Guest.Failure(t), true
	case trace.EndProcess:
		c.failure, c.over = c.Guest.Stuck(true), true
	}
	return nil
}
