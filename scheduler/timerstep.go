package scheduler

import (
	"fmt"

	"landgo/internal/trace"
	"landgo/kernel"
)

// stepTimer has a timer go off.
func (c *timers) stepTimer(th edit, tr *trace.Transition) error {
	free := true
	for i := range c.in.threads {
		if o := &c.in.threads[i]; o.Exists && !o.isTimer() && free {
			var d trace.Thread
			c.describes(o, &d)
			free = d.Status != trace.Ready
		}
	}
	if t, _ := c.in.nextWait(); free && t != trace.NoThread {
		return c.in.Invalid(kernel.GapCall, t, c.in.PC(t), "a wait with a timeout in which a timer's signal may come is not modelled")
	}
	if !free {
		c.in.machine.Put(&c.ticks, c.ticks.Get()+1)
	}
	c.seen.record.Met.GoneOff = true
	made := len(tr.Accesses)
	out, err := c.traps.brings(th, tr, func() kernel.Outcome { return c.in.clockwork.GoOff(c.number(th.ID), th.ID) })
	if err != nil {
		return err
	}
	if !c.several() { // only the thread itself can tell, whose steps depend on this one
		tr.Accesses = tr.Accesses[:made]
	}
	if out.Signal != 0 {
		tr.End = trace.EndBug
		th.Failure = &Failure{Kind: trace.Assertion, Thread: th.ID, Message: fmt.Sprintf("killed by signal %d, of a timer", out.Signal)}
		return nil
	}
	_, err = c.set(th.thread, tr, false)
	return err
}
