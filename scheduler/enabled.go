package scheduler

import "landgo/internal/trace"

// Threads implements por.System: the threads that exist, which of them can run, and what
// the others wait for.
func (s *System) Threads(dst []trace.Thread) []trace.Thread { return s.list(dst, false) }

// list is Threads. kept: the descriptions of threads with nothing new about them are those that were kept.
func (s *System) list(dst []trace.Thread, kept bool) []trace.Thread {
	first := len(dst)
	ready, parked := false, false
	for i := range s.threads {
		if !s.threads[i].Exists {
			n := len(dst)
			dst = s.buffers.describeDrain(&s.threads[i], dst)
			ready = ready || len(dst) > n && dst[n].Status == trace.Ready
			continue
		}
		th := &s.threads[i]
		switch {
		case kept && !s.listing.stale.Has(th.ID):
			dst = s.listing.again(dst, th.ID)
		case kept:
			d := &s.listing.kept[i]
			s.listing.watch(th.ID, s.describeAll(th, d))
			dst = append(dst, *d)
		default:
			dst = append(dst, trace.Thread{})
			s.describeAll(th, &dst[len(dst)-1])
		}
		ready = ready || dst[len(dst)-1].Status == trace.Ready
		parked = parked || dst[len(dst)-1].Parked
		if s.cfg.Buffers {
			n := len(dst)
			dst = s.buffers.describe(th, dst)
			ready = ready || len(dst) > n
		}
	}
	altered := letEnd(dst[first:])
	if s.timers.on() {
		ready, altered = s.timers.let(dst[first:]), true
	}
	if !ready && !parked {
		s.letExpire(dst[first:])
		altered = true
	}
	if kept {
		s.listing.altered = altered
	}
	return dst
}

// describeAll describes a thread, with what its buffer makes of it.
func (s *System) describeAll(th *thread, d *trace.Thread) Watch {
	*d = trace.Thread{ID: th.ID, Yielding: th.Yielding}
	w := s.describe(th, d)
	if s.cfg.Buffers {
		s.buffers.holds(th, d)
		w.Anything = w.Anything || th.Stand == StandOp // whether it waits for the buffer depends on more
	}
	if d.Status == trace.Ready && d.Outcomes == 0 {
		d.Outcomes = 1
	}
	return w
}

// describe fills in a thread's status and pending operation, and says what they depend
// on beside the thread's own state.
func (s *System) describe(th *thread, d *trace.Thread) (w Watch) {
	if s.Kinship.hold(th, d) {
		return w
	}
	d.Waits, d.Role = th.Waits, th.Entry
	switch th.Stand {
	case StandRun:
		th.copying().describe(d)
	case StandAccess:
		d.Pending.Kind, d.PendingAccess, d.Awaits = trace.OpAccess, th.Access, th.awaits
		if th.hint != nil && s.hints.joins {
			d.PendingAccess = s.poisedAtHint(th)
			w.Addr, w.Size = th.Access.Addr, uint64(th.Access.Size)
		} else if th.Access.Flags&trace.Atomic != 0 {
			// Whether an exchange fails depends on what others wrote meanwhile.
			a, exchange := s.machine.Poised(th.Ctx)
			if d.PendingAccess = a; exchange {
				w.Addr, w.Size = a.Addr, uint64(a.Size)
			} else if (s.Blends.on || s.Blends.overwriting) && a.Flags&trace.RMW != 0 && canAwait(&a) {
				d.PendingAccess.SetBlend(s.Blends.at(th.ID, &a))
			}
		}
		if th.returns != 0 {
			d.Pending, d.PendingAccess = s.Stacks.returning(th), trace.Access{}
			return w
		}
		if s.unreads.covers(&th.Access) {
			s.unreads.mark(&d.PendingAccess, s.unreads.deadAt(th))
		}
	case StandOp:
		w = s.lib.DescribeOp(th.ID, d)
	case StandTrap:
		w.Anything = true
		if th.copying().describe(d) {
			return w
		}
		p := s.plan(th)
		d.Pending, d.Outcomes, d.Loose = p.Op, p.Outcomes, th.loose || d.Loose
		if op := s.Stacks.StackEnd(th.ID); p.Op.Kind == trace.OpExit && op.Kind != trace.OpNone {
			d.Pending = op
		}
		if p.Blocked {
			d.Status = trace.Blocked
		} else if th.napping {
			if th.sleepLasts() {
				d.Status = trace.Blocked
			}
		} else if n := s.Failing.outcomes(th) + s.Naps.lasting(th, p); n > 0 {
			d.Outcomes = max(p.Outcomes, 1) + n
		}
	case StandSleep:
		d.Status, d.Pending = trace.Blocked, th.pending
	case StandSpin:
		if th.parked {
			d.Status, d.Waits, d.Parked = trace.Spinning, nil, true
			return w
		}
		if th.awaits {
			a, _ := s.machine.Poised(th.Ctx)
			if th.hint != nil && s.hints.joins {
				a = s.poisedAtHint(th)
			}
			d.Status, d.Awaits, d.Pending, d.PendingAccess, d.Assumes = trace.Spinning, true, trace.Op{Kind: trace.OpAccess}, a, th.assumes
			return Watch{Addr: a.Addr, Size: uint64(a.Size)}
		}
		if d.Status = trace.Spinning; s.known.Hurried && looksAtClock(th) {
			d.Status = trace.Ready // it has come here before that was known
		}
		if th.spinStand == StandAccess || !looksAtClock(th) {
			d.Pending, d.PendingAccess = trace.Op{Kind: trace.OpAccess}, th.Access
		}
	case StandFailure:
		d.Pending.Kind = trace.OpEnd
	case StandTimer:
		w.Anything = true
		s.timers.describe(th, d)
	case StandArrival:
		w.Anything = true
		s.arrivals.describe(th, d)
	case StandExited:
		d.Status = trace.Exited
	}
	d.Loose = d.Loose || s.known.Signalled.Has(uint64(th.ID))
	if s.arrivals.holds(th, d) && d.Status == trace.Ready {
		d.Status, d.Outcomes = trace.Blocked, 0
	}
	d.Late = s.Ends.isLate(th, d)
	return w
}
