package linux

import (
	"math/bits"

	"landgo/internal/trace"
	"landgo/kernel"
)

// Calls that wait with a mask of signals of their own: ppoll, pselect6, epoll_pwait and epoll_pwait2
// (set_user_sigmask in Linux). The mask is the thread's during the call. If a signal ends the call, its
// handler runs under that mask, and its return brings the thread's own mask back. Otherwise the call
// does. A signal that only the call would have let through then stays pending.
//
// Linux looks for events first, and for signals then. So no handler begins in such a sleep: a
// signal has the thread make its call again (rouse in arrival.go), and is taken if there is no event.

// ownMask is the mask that a call brings, if it brings one.
func (c *call) ownMask() (mask uint64, given bool, errno uint64) {
	at, size := c.a[3], c.a[4]
	switch {
	case c.nr == sysPpoll:
	case c.nr == sysEpollPwait, c.nr == sysEpollPwait2:
		at, size = c.a[4], c.a[5]
	case c.nr != sysPselect6 || c.a[5] == 0:
		return 0, false, 0
	case !c.k.user.canRead(c.a[5], 16):
		return 0, false, efault
	default:
		at, size = c.k.log.Read64(c.a[5]), c.k.log.Read64(c.a[5]+8)
	}
	switch {
	case at == 0:
		return 0, false, 0
	case size != 8:
		return 0, false, einval
	case !c.k.user.canRead(at, 8):
		return 0, false, efault
	}
	return c.k.log.Read64(at) &^ unblockable, true, 0
}

// remasks reports whether the call has another mask than its thread has, or had before the call.
func (c *call) remasks() bool {
	mask, given, _ := c.ownMask()
	return given && (mask != c.get(&c.t.blocked) || c.get(&c.t.savedMaskIsWanted) != 0)
}

// masks reports whether a thread is in a call that has slept with a mask of its own.
func (s *signals) masks(t *thread) bool {
	return t.savedMaskIsWanted.Peek() != 0 && t.wait.retried.On()
}

// planOwnMask completes the plan of a call that brings a mask: a signal that it lets through may end
// the process.
func (c *call) planOwnMask(p *kernel.Plan) {
	if mask, given, _ := c.ownMask(); given && p.Effect != kernel.Invalid {
		c.planMask(p, mask)
	}
}

// withMask has a call wait with the mask that it brings.
func (c *call) withMask(o *kernel.Outcome, do func(*call, *kernel.Outcome) uint64) uint64 {
	s, t := &c.k.signals, c.t
	mask, _, errno := c.ownMask()
	switch {
	case errno != 0:
		if _, wrong := c.time(); wrong != 0 && c.nr != sysEpollPwait { // Linux looks at the time first
			return wrong
		}
		return errno
	case !c.remasks():
		return do(c, o)
	case c.get(&t.savedMaskIsWanted) == 0: // else it is made again
		c.set(&t.savedMask, c.get(&t.blocked))
		c.set(&t.savedMaskIsWanted, 1)
		c.remask(mask)
		s.recalculate(t)
	}
	result := do(c, o)
	if !isEpollWait(c.nr) { // which has looked for signals itself
		s.log.Turn(&t.wait.roused, false)
		if (o.Sleep || result == 0) && s.looks(t) && s.takes(t) {
			if o.Sleep {
				o.Sleep, o.Pending = false, trace.Op{}
				s.queues.dequeue(t)
				c.tellNone()
			}
			result = eintr
		}
	}
	switch {
	case o.Sleep:
	case result == eintr:
		c.unmasks = true // Do delivers what is there
	default:
		c.set(&t.savedMaskIsWanted, 0)
		c.remask(c.get(&t.savedMask))
	}
	return result
}

// takes reports whether a thread would take a signal here. It forgets those without an effect: a
// call goes on after these, as it does after one that another thread has taken.
func (s *signals) takes(t *thread) bool {
	for ready := (s.log.Get(&t.sent) | s.log.Get(&s.pending)) &^ s.log.Get(&t.blocked); ready != 0; ready &= ready - 1 {
		sig := uint64(bits.TrailingZeros64(ready)) + 1
		if s.fate(sig) != fateIgnored {
			return true
		}
		for (s.log.Get(&t.sent)|s.log.Get(&s.pending))&bit(sig) != 0 {
			s.take(t, sig)
		}
	}
	s.recalculate(t)
	return false
}

// time is how long the call waits at most.
func (c *call) time() (ns, errno uint64) {
	if isEpollWait(c.nr) {
		return c.epollTime()
	}
	return c.patience()
}
