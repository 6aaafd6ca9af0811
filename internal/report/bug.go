package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"landgo/internal/result"
)

// Limits on long lists in reports.
const (
	maxFrames   = 6
	maxOutput   = 5   // lines
	maxSchedule = 400 // characters, where the bug file has the whole
)

// Found writes what is known of a bug while the run that found it goes on.
func Found(w io.Writer, r *result.Result, s Style) {
	known := *r
	known.Finish()
	p := newPage(s)
	p.names = known.Names()
	defer p.flush(w)
	p.headline(&known)
	p.bugs(&known)
}

// bugs shows the bug, and in one line each the others that were found.
func (p *page) bugs(r *result.Result) {
	p.bug(r.Bug)
	if r.Reason != "" {
		p.blank()
		p.wrap("", "The search ended early: "+clean(r.Reason)+".")
	}
	if len(r.Bugs) < 2 {
		return
	}
	p.blank()
	p.line("%s:", count(uint64(len(r.Bugs)), "distinct bug"))
	for i, b := range r.Bugs {
		p.wrap(fmt.Sprintf("%3d  ", i+1), fmt.Sprintf("%s: %s (%s)", b.Kind, clean(b.Says()), p.bugPlace(b)+count(uint64(b.Preemptions), "preemption")))
		if b.Replay != "" {
			p.line("     %s", b.Replay)
		}
	}
}

// bugPlace is where a bug is, to tell those with one message apart.
func (p *page) bugPlace(b *result.Bug) string {
	if where := p.where(result.Innermost(b.Stack)); where != "" && len(b.Waits) == 0 {
		return "in " + where + "; "
	}
	return ""
}

// bug is the part of the screen that explains one bug.
func (p *page) bug(b *result.Bug) {
	if !b.BeforeThreads {
		p.legend(b.ThreadStarts)
		if len(b.ThreadStarts) > 0 && b.Cause+b.Passing+b.Mistake != "" {
			p.blank()
		}
	}
	for _, text := range []string{b.Cause, b.Passing, b.Mistake} {
		if text != "" {
			p.wrap("  ", clean(p.names.In(text)))
		}
	}
	if b.Cure != nil {
		p.wrap("  ", clean(b.Cure.Text(p.spot, p.statement)))
	}
	if b.BeforeThreads {
		p.wrap("  ", "This happened before a second thread existed: it isn't a concurrency bug.")
	}
	p.calls(b.Calls)
	if len(b.Accesses) > 0 {
		p.accesses(b.Accesses)
	}
	p.block(b.Block)
	p.waits(b)
	p.loops(b.Loops)
	if !b.BeforeThreads && b.Schedule != "" {
		p.switches(b)
	}
	p.choices(b)
	if len(b.Waits) == 0 && len(b.Loops) == 0 {
		p.stack(b)
	}
	p.output(b.Output)
	if b.Schedule == "" { // it isn't known yet
		return
	}
	p.blank()
	switch long := len(b.Schedule) > maxSchedule; {
	case long && b.File != "":
		p.line("schedule     %d characters, in %s", len(b.Schedule), b.File)
	case long && b.Replay != "": // which has it
		p.line("schedule     %d characters", len(b.Schedule))
	default:
		p.line("schedule     %s", b.Schedule)
	}
	if b.Replay != "" {
		p.line("replay       %s", b.Replay)
	}
	if b.Page != "" {
		p.line("page         %s", clean(b.Page))
	}
}

// name is a thread's, as people see it.
func (p *page) name(path string) string { return clean(p.names.Of(path)) }

// accesses lists the accesses that collided, each with its line and its
// instruction.
func (p *page) accesses(list []result.Access) {
	names, does := 0, 0
	for i := range list {
		names = max(names, len(p.name(list[i].Thread)))
		does = max(does, len(p.does(&list[i])))
	}
	p.blank()
	for i := range list {
		a := &list[i]
		f := result.Innermost(a.Stack)
		indent := strings.Repeat(" ", names+6)
		if used := names + does + 6; used+len(p.where(f)) <= p.width {
			p.line("  %-*s  %-*s  %s", names, p.name(a.Thread), does, p.does(a), p.where(f))
		} else {
			p.line("  %-*s  %s", names, p.name(a.Thread), p.cut(p.does(a), names+4))
			p.line("%sin %s", indent, p.fit(f, len(indent)+3))
		}
		p.quote(indent, f, a.Instruction)
	}
}

// does is an access in words, with its values.
func (p *page) does(a *result.Access) string {
	text := fmt.Sprintf("%s %s", a.Op, clean(p.names.In(a.Name())))
	switch before, after := clean(p.names.In(a.Old)), clean(p.names.In(a.New)); {
	case before != "" && after != "":
		text += fmt.Sprintf(" (%s -> %s)", before, after)
	case before+after != "":
		text += fmt.Sprintf(" (%s)", before+after)
	}
	if len(a.Held) > 0 {
		text += " holding " + clean(p.names.In(strings.Join(a.Held, ", ")))
	}
	return text
}

// maxChoices is how many values and failures a report shows.
const maxChoices = 12

// choices lists the values that the program was given, and the calls that failed.
func (p *page) choices(b *result.Bug) {
	list := b.Choices
	if len(list) == 0 {
		return
	}
	p.blank()
	p.line("Choices:")
	if left := len(list) - maxChoices; left > 0 && !p.style.Verbose {
		p.line("  ... %d before", left)
		list = list[left:]
	}
	for i := range list {
		p.wrap("  ", p.name(list[i].Thread)+"  "+p.chosen(b, &list[i]))
	}
}

// chosen is a choice in words: "malloc(24) fails here, in main q.c:10: --faults malloc=1".
func (p *page) chosen(b *result.Bug, c *result.Choice) string {
	text := clean(c.Text)
	if where := p.where(c.Place); where != "" {
		text += ", in " + where
	}
	switch {
	case len(b.Steps) == 0 || b.BeforeThreads:
	case c.After == 0:
		text += ", before switch 1"
	default:
		text += fmt.Sprintf(", after switch %d", c.After)
	}
	if c.Fault != "" {
		text += ": " + c.Fault
	}
	return text
}

// stack shows where the thread that failed stands.
func (p *page) stack(b *result.Bug) {
	if len(b.Stack) == 0 {
		return
	}
	p.blank()
	p.line("Stack of %s:", p.name(b.Thread))
	stack := p.users(b.Stack)
	for i, f := range stack {
		if i == maxFrames && len(stack) > maxFrames+1 && !p.style.Verbose {
			p.line("  and %d more", len(stack)-i)
			break
		}
		inlined := ""
		if f.Inlined {
			inlined = " (inlined)"
		}
		p.line("  %s%s", p.fit(f, 2+len(inlined)), inlined)
	}
}

// users is a stack without the frames of libraries, if it has others.
func (p *page) users(stack []result.Frame) []result.Frame {
	if p.style.Verbose {
		return stack
	}
	own := slices.DeleteFunc(slices.Clone(stack), func(f result.Frame) bool { return f.File == "" || f.Library })
	if len(own) == 0 {
		return stack
	}
	return own
}

// output shows the last lines of the guest's output.
func (p *page) output(text string) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	p.blank()
	if n := len(lines) - maxOutput; n > 0 {
		p.line("The end of its output (%s before it):", count(uint64(n), "line"))
		lines = lines[n:]
	} else {
		p.line("Its output:")
	}
	for _, l := range lines {
		p.line("  %s", p.cut(clean(l), 2))
	}
	if result.MissedFile(text) {
		p.wrap("", result.FilesAreGiven)
	}
}
