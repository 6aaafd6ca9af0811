package byhand

import (
	"errors"
	"fmt"

	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// tryIf lets a thread go on at the position, and then each as long as it can, and says how
// that ends. The state is taken back.
func (c *Chooser) tryIf(name string) ([]string, error) {
	t, _, err := c.thread(name)
	if err != nil {
		return nil, err
	}
	guest := c.s.Guest
	before := guest.Mark()
	defer guest.Rewind(before)
	sched := c.schedule(c.at)
	c.whatIf = nil
	printed := len(c.output())
	run := t
	for n := range longestRun {
		if c.interrupted.Load() {
			return nil, errInterrupted
		}
		if n > 0 {
			run = session.NextToRun(guest.Threads(nil), run)
		}
		if run == trace.NoThread {
			c.whatIf = &sched
			return c.outcome(n, c.orPassed(guest.Stuck(false)), printed), nil
		}
		tr, err := guest.Step(run, 0)
		if err != nil && (tr == nil || !errors.Is(err, por.ErrFiner)) {
			return nil, fmt.Errorf("after %d steps, thread %s can't be run on: %w", n, c.s.Guest.Name(run), err)
		}
		p := guest.Position(run)
		sched.Append(trace.Segment{Thread: guest.Name(run), Until: p.Insns, Part: p.Part})
		if tr.End == trace.EndBug || tr.End == trace.EndProcess {
			f := guest.Failure(run)
			if f == nil {
				f = guest.Stuck(true)
			}
			c.whatIf = &sched
			return c.outcome(n+1, c.orPassed(f), printed), nil
		}
	}
	return []string{fmt.Sprintf("it goes on for more than %d steps", longestRun)}, nil
}

// outcome says how a run has ended.
func (c *Chooser) outcome(steps int, f *scheduler.Failure, printed int) []string {
	told := fmt.Sprintf("%d steps later it ends without a bug", steps)
	if f != nil {
		told = fmt.Sprintf("%d steps later it ends with a bug: %s", steps, c.bugText(f))
	}
	if out := c.output(); len(out) > printed {
		told += fmt.Sprintf("; it prints %q", out[printed:])
	}
	return []string{told}
}

// bugText says what a bug is, and where.
func (c *Chooser) bugText(f *scheduler.Failure) string {
	text := fmt.Sprintf("%s: %s", f.Kind, f.Message)
	if len(f.Waits) == 0 {
		stack := c.s.Stack(f.Thread)
		if f.Stack != nil { // the thread went on
			stack = c.s.Frames(f.Stack)
		}
		if in := result.Innermost(stack); in.File != "" {
			text += fmt.Sprintf(", in %s %s by thread %s", in.Function, in.Where(), c.s.Guest.Name(f.Thread))
		}
	}
	return text
}
