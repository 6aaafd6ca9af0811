package byhand

import (
	"fmt"
	"slices"

	"landgo/internal/debugger"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// watched is an expression that is shown at each move.
type watched struct {
	thread, text, value string
	known               bool // it had a value
}

func (w *watched) is(m *debugger.Move) bool { return w.text == m.Text && w.thread == m.Thread }

// Interrupt implements debugger.Chooser.
func (c *Chooser) Interrupt() { c.interrupted.Store(true) }

// Choose implements debugger.Chooser.
func (c *Chooser) Choose(m debugger.Move) (*debugger.View, error) {
	c.interrupted.Store(false)
	c.finer = false
	v := &debugger.View{}
	was := c.now()
	if err := c.carryOut(&m, v); err != nil {
		if len(c.rows) < c.at || c.moved(was) {
			c.interrupted.Store(false)
			if again := c.lay(was.beginning, was.whole); again != nil {
				return nil, fmt.Errorf("%w; and the run can't be gone back in: %w", err, again)
			}
		}
		return nil, err
	}
	if c.s.Epoch() != c.epoch { // a try has taught something
		if err := c.lay(c.schedule(c.at), c.schedule(len(c.rows))); err != nil {
			return nil, err
		}
		c.finer = true
	}
	if c.finer {
		v.Told = append(v.Told, "this has shown that threads share more memory: earlier steps end before they access it now")
	}
	c.look(v)
	return v, nil
}

// moved reports whether the run isn't what it was.
func (c *Chooser) moved(was past) bool {
	now := c.now()
	return now.beginning.String() != was.beginning.String() || now.whole.String() != was.whole.String()
}

// carryOut carries a move out.
func (c *Chooser) carryOut(m *debugger.Move, v *debugger.View) (err error) {
	was := c.now()
	defer func() {
		if err == nil && (m.Verb == debugger.DoStep || m.Verb == debugger.DoRun || m.Verb == debugger.DoOpened || m.Verb == debugger.DoTake) {
			c.remember(was)
		}
	}()
	switch m.Verb {
	case debugger.DoLook:
		c.told = 0
	case debugger.DoStep:
		return c.step(m.Thread, m.Outcome)
	case debugger.DoRun:
		return c.run(m.Thread)
	case debugger.DoGo:
		if m.At < 0 || m.At > len(c.rows) {
			return fmt.Errorf("the run has the positions 0 to %d", len(c.rows))
		}
		return c.goTo(m.At)
	case debugger.DoUndo:
		return c.undo()
	case debugger.DoOpened:
		if len(c.opened.Segments) == 0 {
			return fmt.Errorf("no run was opened: the guest was, at its beginning")
		}
		return c.ahead(c.opened)
	case debugger.DoWhatIf:
		v.Told, err = c.tryIf(m.Thread)
		return err
	case debugger.DoTake:
		if c.whatIf == nil {
			return fmt.Errorf("ask what-if first: there is no run to take")
		}
		return c.ahead(*c.whatIf)
	case debugger.DoValue:
		text, err := c.evaluate(m.Thread, m.Text)
		v.Told = []string{m.Text + " = " + text}
		return err
	case debugger.DoWatch:
		value, err := c.evaluate(m.Thread, m.Text)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(c.watched, func(w watched) bool { return w.is(m) }) {
			c.watched = append(c.watched, watched{m.Thread, m.Text, value, true})
		}
	case debugger.DoUnwatch:
		n := len(c.watched)
		c.watched = slices.DeleteFunc(c.watched, func(w watched) bool { return w.is(m) })
		if n == len(c.watched) {
			return fmt.Errorf("%q isn't watched", m.Text)
		}
	case debugger.DoSave:
		v.Saved, err = c.save()
		return err
	default:
		return fmt.Errorf("there is no move %q", m.Verb)
	}
	return nil
}

// evaluate is the value of an expression at the position. A thread's own variables are known
// if a thread is given.
func (c *Chooser) evaluate(thread, text string) (string, error) {
	if thread == "" {
		return c.s.Evaluate(trace.NoThread, text)
	}
	t, ok := c.s.Guest.Lookup(thread)
	if !ok || !c.exists(t) || c.s.IsBeside(t) || !c.s.Plain.Thread(t).Live() {
		return "", fmt.Errorf("thread %s isn't there", thread)
	}
	return c.s.Evaluate(t, text)
}

// look fills a view in.
func (c *Chooser) look(v *debugger.View) {
	c.told = min(c.told, len(c.rows))
	v.Kept, v.At, v.Output = c.told, c.at, c.output()
	for i := range c.rows[c.told:] {
		v.Steps = append(v.Steps, c.rows[c.told+i].taken)
	}
	c.told = len(c.rows)
	threads := c.s.Guest.Threads(nil)
	why, bug := c.over(threads)
	if v.Over = why; bug != nil {
		v.Bug = c.bugText(bug)
	}
	v.Lanes = c.lanes(threads, why != "")
	for i := range c.watched {
		w := &c.watched[i]
		out := debugger.Watched{Thread: w.thread, Text: w.text}
		value, err := c.evaluate(w.thread, w.text)
		if err != nil {
			out.Error = err.Error()
		}
		out.Value, out.Changed = value, (err == nil) != w.known || value != w.value
		w.value, w.known = value, err == nil
		v.Watched = append(v.Watched, out)
	}
}

// known gives a thread the next number, if it has none.
func (c *Chooser) known(t trace.TID) {
	if !slices.Contains(c.order, t) {
		c.order = append(c.order, t)
	}
}

// lanes are the threads, by their numbers: those that are known by now.
func (c *Chooser) lanes(threads []trace.Thread, over bool) (lanes []debugger.Lane) {
	ready := map[trace.TID]*trace.Thread{}
	for i := range threads {
		if th := &threads[i]; th.Status == trace.Ready && !over {
			ready[th.ID] = th
			c.known(th.ID)
		}
	}
	for _, x := range c.s.Guest.Starts() {
		c.known(x.Thread)
	}
	numbers := map[string]int{}
	for _, t := range c.order {
		l := debugger.Lane{Thread: c.s.Guest.Name(t), Stores: c.s.IsBuffer(t), Outcomes: 1, About: "isn't there yet"}
		if l.Empties = trace.IsDrainName(l.Thread); l.Empties && session.Find(threads, t) == nil {
			continue
		}
		if l.Stores {
			l.Number = numbers[trace.OwnerName(l.Thread)]
		} else {
			l.Number = len(numbers)
			numbers[l.Thread] = l.Number
		}
		if l.Live = c.exists(t); l.Live {
			stack := c.s.Stack(t)
			c.root(t, stack)
			l.Function, l.File, l.Line = place(stack)
			l.About = c.state(t)
		}
		if th := ready[t]; th != nil {
			l.Ready, l.Outcomes, l.About = true, max(th.Outcomes, 1), c.next(t)
		}
		if l.Root = c.roots[t]; l.Stores && !l.Live {
			l.About = c.state(t)
		}
		lanes = append(lanes, l)
	}
	return lanes
}

// root finds out what function a thread runs, where it stands.
func (c *Chooser) root(t trace.TID, stack []result.Frame) {
	if c.roots[t] == "" && !c.s.IsBeside(t) {
		c.roots[t] = story.Root(stack)
	}
}

// exists reports whether a thread is there at the position, or was.
func (c *Chooser) exists(t trace.TID) bool {
	if c.s.IsBuffer(t) {
		return slices.ContainsFunc(c.s.Guest.Threads(nil), func(th trace.Thread) bool { return th.ID == t && th.Status == trace.Ready })
	}
	for _, x := range c.s.Guest.Starts() {
		if x.Thread == t {
			return true
		}
	}
	return false
}

// state says why a thread can't go on.
func (c *Chooser) state(t trace.TID) string {
	if trace.IsDrainName(c.s.Guest.Name(t)) {
		return "waits until the store buffer is empty"
	}
	if c.s.IsBuffer(t) {
		return "holds no store"
	}
	return c.s.Guest.StateText(t)
}

// save is the run, with what lies ahead, for a file.
func (c *Chooser) save() (*debugger.Saved, error) {
	at, whole := c.at, c.schedule(len(c.rows))
	if len(whole.Segments) == 0 {
		return nil, fmt.Errorf("no step was taken: there is nothing to save")
	}
	saved := &debugger.Saved{Schedule: whole.String()}
	if saved.Schedule == c.opened.String() {
		saved.Kind, saved.Message = c.kind, c.message
		return saved, nil
	}
	if err := c.goTo(len(c.rows)); err != nil {
		return nil, err
	}
	if _, bug := c.over(c.s.Guest.Threads(nil)); bug != nil {
		saved.Kind, saved.Message = string(bug.Kind), bug.Message
	}
	return saved, c.goTo(at)
}
