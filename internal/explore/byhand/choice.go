package byhand

import (
	"errors"
	"fmt"

	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
)

// longestRun bounds how many steps one move takes.
const longestRun = 20_000

// thread is one that can take a step at the position.
func (c *Chooser) thread(name string) (trace.TID, *trace.Thread, error) {
	t, ok := c.s.Guest.Lookup(name)
	if !ok || !c.exists(t) {
		return t, nil, fmt.Errorf("there is no thread %s here", name)
	}
	threads := c.s.Guest.Threads(nil)
	if why, _ := c.over(threads); why != "" {
		return t, nil, fmt.Errorf("the run is over here: %s", why)
	}
	th := session.Find(threads, t)
	if th == nil || th.Status != trace.Ready {
		return t, nil, fmt.Errorf("thread %s can't go on here: it %s", c.s.Guest.Name(t), c.state(t))
	}
	return t, th, nil
}

// step has a thread take its next step: the next row, if that is the same.
func (c *Chooser) step(name string, outcome uint32) error {
	for range maxLearned {
		t, th, err := c.thread(name)
		if err != nil {
			return err
		}
		if outcome >= max(th.Outcomes, 1) {
			return fmt.Errorf("a step of thread %s has one of %d outcomes here, from 0 on", name, max(th.Outcomes, 1))
		}
		choice := trace.Choice(outcome)
		if c.at < len(c.rows) && c.rows[c.at].step.Thread == t && c.rows[c.at].step.Choice == choice {
			return c.goTo(c.at + 1)
		}
		c.keepMark(c.at)
		before := c.s.Guest.Mark()
		r, err := c.do(por.PathStep{Thread: t, Choice: choice, Preemption: c.preempts(t)}, func(p *por.PathStep) (*trace.Transition, error) {
			return c.s.Guest.Step(p.Thread, p.Choice)
		})
		if err == nil {
			c.rows = append(c.rows[:c.at:c.at], r)
			c.told = min(c.told, c.at)
			c.at++
			return nil
		}
		if !errors.Is(err, por.ErrFiner) {
			c.s.Guest.Rewind(before)
			return fmt.Errorf("thread %s can't be run on here: %w", c.s.Guest.Name(t), err)
		}
		beginning := c.schedule(c.at)
		if err := c.lay(beginning, beginning); err != nil {
			return err
		}
		c.finer = true
	}
	return errors.New("the step became finer without an end")
}

// preempts reports whether a step of t is a preemption: the thread of the step before could
// go on.
func (c *Chooser) preempts(t trace.TID) bool {
	for n := c.at - 1; n >= 0; n-- {
		ran := c.rows[n].step.Thread
		if c.s.IsBeside(ran) {
			continue
		}
		th := session.Find(c.s.Guest.Threads(nil), ran)
		return ran != t && !c.s.IsBeside(t) && th != nil && th.Status == trace.Ready && !th.Yielding
	}
	return false
}

// run has a thread take steps as long as it can.
func (c *Chooser) run(name string) error {
	for n := range longestRun {
		if c.interrupted.Load() {
			return errInterrupted
		}
		if err := c.step(name, 0); err != nil {
			if n > 0 && c.stopped(name) {
				return nil
			}
			return err
		}
		if c.stopped(name) {
			return nil
		}
	}
	return nil
}

// stopped reports whether a thread can't take a step, or gives way.
func (c *Chooser) stopped(name string) bool {
	t, ok := c.s.Guest.Lookup(name)
	threads := c.s.Guest.Threads(nil)
	why, _ := c.over(threads)
	th := session.Find(threads, t)
	return !ok || why != "" || th == nil || th.Status != trace.Ready || th.Yielding
}

// remember keeps what Undo goes back to, and forgets what was asked of it before.
func (c *Chooser) remember(p past) {
	const most = 1000
	if len(c.past) == most {
		c.past = c.past[1:]
	}
	c.past = append(c.past, p)
}

// now is the place that Undo would come back to.
func (c *Chooser) now() past { return past{c.schedule(c.at), c.schedule(len(c.rows))} }

// undo takes the latest choice back.
func (c *Chooser) undo() error {
	if len(c.past) == 0 {
		return errors.New("there is no choice to take back")
	}
	p := c.past[len(c.past)-1]
	if err := c.lay(p.beginning, p.whole); err != nil {
		return err
	}
	c.past = c.past[:len(c.past)-1]
	return nil
}

// ahead has another run ahead, from the position if its beginning is the same, or else from
// where the two part.
func (c *Chooser) ahead(whole trace.Schedule) error {
	mine := make([]row, c.at)
	copy(mine, c.rows)
	if err := c.lay(whole, whole); err != nil {
		return err
	}
	n := 0
	for n < len(mine) && n < len(c.rows) && mine[n].segment() == c.rows[n].segment() {
		n++
	}
	return c.goTo(n)
}
