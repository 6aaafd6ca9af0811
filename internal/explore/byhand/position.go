package byhand

import (
	"errors"
	"sort"
	"sync/atomic"

	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// Chooser is a run in the making. It implements debugger.Chooser.
type Chooser struct {
	s     *session.Session
	rows  []row
	at    int
	marks []marked
	epoch session.Epoch // with which the rows were made
	finer bool          // they were made anew in the present move

	// opened is the run that was opened; kind and message are its bug's.
	opened        trace.Schedule
	kind, message string

	past   []past
	whatIf *trace.Schedule // that Take has ahead

	order       []trace.TID // of the threads' numbers
	roots       map[trace.TID]string
	told        int // rows that the user knows
	watched     []watched
	interrupted atomic.Bool
}

// marked is a mark of the state in which this many rows were taken.
type marked struct {
	at   int
	mark trace.Mark
}

// past is a place that Undo goes back to.
type past struct {
	beginning, whole trace.Schedule
}

// keepMark keeps the present state, in which n rows were taken, if it is the turn of one.
func (c *Chooser) keepMark(n int) {
	if n-c.marks[len(c.marks)-1].at > n/session.MarksKept {
		c.marks = append(c.marks, marked{n, c.s.Guest.Mark()})
	}
}

// begin brings the machine to the root.
func (c *Chooser) begin() {
	c.s.Guest.Rewind(c.s.Root)
	c.at, c.marks = 0, []marked{{0, c.s.Root}}
}

// back brings the machine to the nearest mark at or before where n rows were taken.
func (c *Chooser) back(n int) {
	i := sort.Search(len(c.marks), func(i int) bool { return c.marks[i].at > n }) - 1
	c.s.Guest.Rewind(c.marks[i].mark)
	c.at, c.marks = c.marks[i].at, c.marks[:i+1]
}

// goTo brings the machine to where n rows were taken.
func (c *Chooser) goTo(n int) error {
	if n < c.at {
		c.back(n)
	}
	for c.at < n {
		if c.interrupted.Load() {
			return errInterrupted
		}
		c.keepMark(c.at)
		_, err := c.s.Take(&c.rows[c.at].step)
		if errors.Is(err, por.ErrFiner) {
			return c.lay(c.schedule(n), c.schedule(len(c.rows)))
		}
		if err != nil {
			c.back(c.at)
			return err
		}
		c.at++
	}
	return nil
}

var errInterrupted = errors.New("interrupted")

// over says why the run can't go on from the position, with the bug, if there is one; "":
// it can.
func (c *Chooser) over(threads []trace.Thread) (why string, bug *scheduler.Failure) {
	if c.at > 0 {
		switch last := &c.rows[c.at-1]; last.end {
		case trace.EndBug, trace.EndProcess:
			if bug = c.s.Guest.Failure(last.step.Thread); bug == nil {
				bug = c.s.Guest.Stuck(true)
			}
			return "the process has ended", c.orPassed(bug)
		}
	}
	live := false
	for i := range threads {
		switch threads[i].Status {
		case trace.Ready:
			return "", nil
		case trace.Exited:
		default:
			live = true
		}
	}
	if !live {
		return "all threads have ended", c.orPassed(c.s.Guest.Stuck(false))
	}
	return "no thread can go on", c.orPassed(c.s.Guest.Stuck(false))
}

// orPassed is a bug, or without one the first error that the run went past (--keep-going).
func (c *Chooser) orPassed(bug *scheduler.Failure) *scheduler.Failure {
	for _, f := range c.s.Guest.LetThrough() {
		if _, ignored := c.s.Ignores(f); bug == nil && !ignored {
			bug = f
		}
	}
	return bug
}
