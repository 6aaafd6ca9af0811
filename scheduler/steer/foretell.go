package steer

import "landgo/internal/trace"

// Functions in which threads sleep may say how long, by a profile. When the thread wakes
// is foretold by that, and needn't be found out by letting time pass (time.go).

// timed reports whether they do.
func (k *fixed) timed() bool { return k.profile != nil && k.profile.Timed }

// enterSleep: the processor stands where a function is called in which threads sleep, if
// it does.
func (c *calls) enterSleep(u *turn) {
	if c.in.profile == nil {
		return
	}
	t, ok := c.in.profile.Sleep[c.proc.regs.RIP]
	if !ok {
		return
	}
	c.enterCall(u, ownCall{Sleep: true})
	if t.Argument < 0 {
		return
	}
	own := &c.core.edit(u.th.ID).own
	own.Since, own.Length = c.in.ticks.Get(), c.proc.argument(t.Argument)
	switch {
	case t.Size == 8 && c.in.wordSize == 4:
		own.Length |= c.proc.argument(t.Argument+1) << 32
	case t.Size == 4:
		own.Length = uint64(uint32(own.Length))
	}
}

// maxForetold is the longest sleep that is foretold by what the function was called with.
const maxForetold = 1 << 32

// foretell says when a thread that has begun to sleep will wake: as many ticks
// after it asked for the time as it wants to sleep. If ticks have come since it
// called the function, it isn't known when it asked.
func (b *beliefs) foretell(th *thread) {
	o := &b.core.edit(th.ID).own
	switch {
	case o.Since != b.in.ticks.Get() || o.Length == 0 || o.Length >= maxForetold:
		o.Wakes = wakesUnknown
	case o.Length <= maxSleep:
		o.Wakes = b.in.ticks.Get() + o.Length
	default:
		// No thread waits for so many, which are of a mistake: a length read from a stack
		// that is gone.
		o.Wakes = wakesNever
		if !b.known.Oversleeps {
			b.known.Oversleeps = true
			b.core.Refine()
		}
	}
}

// sawTick looks which threads were woken by a tick.
func (b *beliefs) sawTick(tr *trace.Transition) {
	for i := range b.in.threads {
		th := &b.in.threads[i]
		if b.in.isAsleep(th) && b.in.saysReady(th.own.Number) {
			b.woke(th)
			b.core.edit(th.ID).own.State = ownReady
			if th.ID != tr.Thread {
				tr.Wakes = append(tr.Wakes, th.ID)
			}
		}
	}
}
