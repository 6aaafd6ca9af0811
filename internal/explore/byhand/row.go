package byhand

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"landgo/internal/debugger"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// row is a step of the run.
type row struct {
	step  por.PathStep
	taken debugger.Taken
	to    scheduler.Position
	end   trace.End
}

// segment is the row's part of a schedule.
func (r *row) segment() trace.Segment {
	return trace.Segment{Thread: r.taken.Thread, Until: r.to.Insns, Part: r.to.Part, Choice: r.step.Choice}
}

// schedule is that of the first n rows.
func (c *Chooser) schedule(n int) trace.Schedule {
	sched := trace.Schedule{Check: c.s.Check}
	for i := range c.rows[:n] {
		sched.Append(c.rows[i].segment())
	}
	return sched
}

// do takes a step where the machine stands, and makes a row of it. With ErrFiner there is
// none, and the machine stands nowhere.
func (c *Chooser) do(step por.PathStep, take func(*por.PathStep) (*trace.Transition, error)) (row, error) {
	g, t := c.s.Guest, step.Thread
	r := row{step: step, taken: debugger.Taken{Thread: g.Name(t), Outcome: uint32(step.Choice), Preempts: step.Preemption}}
	stack := c.s.Stack(t)
	c.root(t, stack)
	r.taken.Function, r.taken.File, r.taken.Line = place(stack)
	text := c.next(t)
	access := c.oldest(t)
	if th := session.Find(g.Threads(nil), t); th != nil && th.Pending.Kind == trace.OpAccess {
		access = th.PendingAccess
	}
	old, printed := c.valueOf(t, &access), len(c.output())
	tr, err := take(&step)
	if err != nil {
		return r, err
	}
	r.step.Begin, r.step.Last, r.end, r.to = tr.Begin, tr.Last, tr.End, g.Position(t)
	stack = c.s.Stack(t)
	c.root(t, stack)
	switch now := c.valueOf(t, &access); {
	case old == "":
	case access.IsWrite():
		text += ": " + old + " -> " + now
	default:
		text += ": " + old
	}
	switch {
	case text != "":
	case tr.Begin == 0:
		text = "begins"
		if r.taken.File == "" { // of main, that is the C library's
			r.taken.Function, r.taken.File, r.taken.Line = place(stack)
		}
	default:
		text = "goes on"
	}
	var made []trace.TID
	c.known(t)
	for _, op := range tr.Ops {
		if does := g.OpText(op); op.Kind == trace.OpCreate && does != "" {
			made = append(made, trace.TID(op.Obj))
			c.known(trace.TID(op.Obj))
			if !strings.Contains(text, does) {
				text += ", " + does
			}
		}
	}
	text += c.besides(tr, &access)
	for _, w := range tr.Wakes {
		if !slices.Contains(made, w) && !trace.IsDrainName(g.Name(w)) {
			text += ", wakes " + g.Name(w)
		}
	}
	if out := c.output(); len(out) > printed {
		text += fmt.Sprintf(", prints %q", out[printed:])
	}
	r.taken.Text = text
	return r, nil
}

// besides lists the variables that a step accesses after its first access. They are no preemption
// points, because no thread has accessed them yet.
func (c *Chooser) besides(tr *trace.Transition, first *trace.Access) (text string) {
	const most = 3
	var told []string
	for i := range tr.Accesses {
		a := &tr.Accesses[i]
		name, ok := c.s.Guest.Variable(a.Addr)
		if !ok || a.Addr == first.Addr || a.Flags&trace.Library != 0 || c.s.IsBuffer(tr.Thread) {
			continue
		}
		does := "reads " + name
		if a.IsWrite() {
			does = "writes " + name
			if v := c.valueOf(tr.Thread, a); v != "" {
				does += " (" + v + ")"
			}
		}
		if slices.Contains(told, does) {
			continue
		}
		if told = append(told, does); len(told) > most {
			return text + ", ..."
		}
		text += ", " + does
	}
	return text
}

// next says what a thread's next step begins with, "" if that is nothing that others see.
func (c *Chooser) next(t trace.TID) string {
	if name := c.s.Guest.Name(t); trace.IsDrainName(name) {
		return trace.OwnerName(name) + "'s store buffer is empty"
	}
	if c.s.IsBuffer(t) {
		return c.s.Guest.VariableName(c.oldest(t).Addr) + " reaches memory"
	}
	return c.s.Guest.NextText(t)
}

// oldest is the store that a store buffer gives to memory next.
func (c *Chooser) oldest(t trace.TID) (a trace.Access) {
	if th := session.Find(c.s.Guest.Threads(nil), t); th != nil && c.s.IsBuffer(t) {
		a = th.PendingAccess
		a.Flags |= trace.Write
	}
	return a
}

// valueOf is the value of what an access is to, as its thread sees it.
func (c *Chooser) valueOf(t trace.TID, a *trace.Access) string {
	if a.Size == 0 || a.Size > 8 {
		return ""
	}
	var v uint64
	for i, b := range c.s.Plain.SeenBy(t, a.Addr, uint64(a.Size)) {
		v |= uint64(b) << (8 * i)
	}
	text, small := story.Number(v, a.Size)
	if !small && uint64(a.Size) == c.s.Image.Machine.Word() {
		if name, ok := c.s.Guest.Variable(v); ok {
			return "&" + name
		}
	}
	return text
}

// output is the guest's output by now.
func (c *Chooser) output() string {
	return string(c.s.Console.Output(1)) + string(c.s.Console.Output(2))
}

// place is where the user's code stands on a stack.
func place(stack []result.Frame) (function, file string, line int) {
	f := result.Innermost(stack)
	return f.Function, f.File, f.Line
}

// lay makes rows of a schedule, and takes those of its beginning.
func (c *Chooser) lay(beginning, whole trace.Schedule) error {
	for range maxLearned {
		epoch := c.s.Epoch()
		head, err := c.s.FollowPart(beginning)
		if err != nil {
			return err
		}
		path, err := c.s.FollowPart(whole)
		if err != nil {
			return err
		}
		rows, err := c.write(path)
		switch {
		case errors.Is(err, por.ErrFiner):
			continue
		case err != nil:
			return err
		case c.s.Epoch() != epoch:
			continue // the two were followed with different knowledge
		}
		c.rows, c.epoch, c.told = rows, epoch, 0
		c.at = len(rows)
		return c.goTo(min(len(head), len(rows)))
	}
	return errors.New("the run's steps became finer without an end")
}

// maxLearned bounds how often a schedule is followed again because something was learned.
const maxLearned = 1000

// write takes the steps of a path from the root, and makes rows of them.
func (c *Chooser) write(path []por.PathStep) ([]row, error) {
	c.begin()
	rows := make([]row, 0, len(path))
	for i := range path {
		c.keepMark(i)
		r, err := c.do(path[i], c.s.Take)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}
