package report

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"landgo/internal/result"
)

// BriefLines is how many lines Brief writes at most.
const BriefLines = 20

// The lines that the parts of a brief text on a bug may have. They sum up to BriefLines.
const (
	briefHead     = 2
	briefOthers   = 1
	briefBefore   = 1
	briefCause    = 3
	briefEvents   = 4
	briefSwitches = 4
	briefMistake  = 4
	briefLook     = 1
)

// look is the head of the last line.
const look = "Look at: "

// Brief writes a text for the student whose program was checked: the failure, the places where
// threads were preempted, and the lines to look at. It names functions of their own code only. It
// has no address, no schedule and no line of a source, which may be a teacher's hidden test.
func Brief(w io.Writer, r *result.Result, s Style) {
	s.Source, s.Color, s.Verbose = nil, false, false
	b := &digest{style: s}
	known := *r
	known.Rungs = nil // one may end in a command with a schedule
	if r.Bug != nil && r.Verdict == result.Buggy {
		b.bug(&known)
	} else {
		b.other(&known)
	}
	for _, l := range b.lines[:min(len(b.lines), BriefLines)] {
		fmt.Fprintln(w, l)
	}
}

// digest is a brief text under construction.
type digest struct {
	style Style
	lines []string
	names result.Names
	files []string // of the bug's frames
}

// write writes a part of at most this many lines.
func (b *digest) write(most int, parts ...func(*page)) {
	var all []string
	for _, part := range parts {
		p := newPage(b.style)
		p.names = b.names
		part(p)
		for _, s := range p.sections {
			for _, r := range s {
				all = append(all, r.lines...)
			}
		}
	}
	if len(all) > most {
		all = all[:most]
		all[most-1] += " ..."
	}
	b.lines = append(b.lines, all...)
}

// text is a part of one paragraph, whose lines but the first are indented.
func (b *digest) text(head, text string) func(*page) {
	return func(p *page) { p.wrap(head, clean(b.plain(text))) }
}

// prose is text in landgo's own words, with labels for the threads in it.
func (b *digest) prose(head, text string) func(*page) { return b.text(head, b.names.In(text)) }

// spot is where a frame is.
func (b *digest) spot(f result.Frame) string {
	if f.File == "" || f.Line == 0 {
		return f.Function
	}
	return fmt.Sprintf("%s:%d", b.file(f.File), f.Line)
}

// anAddress matches what is an address, and not a small number that a program prints.
var anAddress = regexp.MustCompile(`\b0x[0-9a-fA-F]{5,}\b`)

// plain is a text of the result's without addresses, and with files by their short names.
func (b *digest) plain(text string) string {
	for _, f := range b.files {
		text = strings.ReplaceAll(text, f, b.file(f))
	}
	return anAddress.ReplaceAllString(text, "an address")
}

// file is a source's name without its folders, unless two sources differ in them only.
func (b *digest) file(path string) string {
	base := filepath.Base(path)
	for _, f := range b.files {
		if f != path && filepath.Base(f) == base {
			p := page{style: b.style}
			return p.file(path)
		}
	}
	return clean(base)
}

// own is the innermost frame of the student's own code.
func own(stack []result.Frame) (f result.Frame, ok bool) {
	i := slices.IndexFunc(stack, func(f result.Frame) bool { return f.File != "" && f.Line > 0 && !f.Library })
	if i < 0 {
		return f, false
	}
	return stack[i], true
}

// place is a frame of the student's as "add (lost_update.c:20)".
func (b *digest) place(f result.Frame) string {
	at := fmt.Sprintf("%s:%d", b.file(f.File), f.Line)
	if f.Function == "" {
		return at
	}
	return clean(f.Function) + " (" + at + ")"
}

// in is ", in add (lost_update.c:20)", or "" for a stack without a frame of the student's.
func (b *digest) in(stack []result.Frame) string {
	if f, ok := own(stack); ok {
		return " in " + b.place(f)
	}
	return ""
}

// thread is a thread's name: its label, which has the function that it runs.
func (b *digest) thread(name string) string { return b.names.Noun(name) }

// bug tells of a bug.
func (b *digest) bug(r *result.Result) {
	bug := r.Bug
	b.names = bug.Names()
	stacks := stacksOf(bug)
	b.files = filesOf(stacks)
	b.write(briefHead, b.text("", fmt.Sprintf("bug%s: %s: %s", r.Certificate.Under(), bug.Kind, bug.Says())))
	if n := len(r.Bugs) - 1; n > 0 {
		b.write(briefOthers, b.text("  ", fmt.Sprintf("The run found %s too.", count(uint64(n), "other bug"))))
	}
	if bug.BeforeThreads {
		b.write(briefBefore, b.text("  ", "No second thread existed yet: it isn't a concurrency bug."))
	}
	if bug.Cause != "" {
		b.write(briefCause, b.prose("  ", bug.Cause))
	} else if bug.Passing != "" {
		b.write(briefCause, b.prose("  ", bug.Passing))
	}
	b.write(briefEvents, b.events(bug)...)
	switches := briefSwitches
	for i := range bug.Choices {
		if c := &bug.Choices[i]; c.Fault != "" && switches == briefSwitches { // the first
			switches--
			b.write(1, b.text("  ", fmt.Sprintf("%s in %s: %s.", c.Text, c.Place.Function, c.Fault)))
		}
	}
	if !bug.BeforeThreads && len(bug.Steps) > 0 {
		b.write(switches, b.preemptions(bug)...)
	}
	if bug.Mistake != "" {
		b.write(briefMistake, b.prose("  ", bug.Mistake))
	}
	if bug.Cure != nil {
		b.write(briefMistake, b.text("  ", bug.Cure.Text(b.spot, func(result.Frame) string { return "" })))
	}
	if places := b.places(stacks); len(places) > 0 {
		b.write(briefLook, b.text(look, strings.Join(places, ", ")))
	}
}

// events are the waits, loops or accesses of the bug, or else where it failed.
func (b *digest) events(bug *result.Bug) (parts []func(*page)) {
	for _, w := range waitsOf(bug) {
		what := strings.TrimSpace(w.For + " " + w.Object)
		if label := b.names.Of(w.Object); w.For == "thread" && label != w.Object {
			what = label + " to end"
		}
		if anAddress.MatchString(w.Object) {
			what = "a " + w.For
		}
		if w.Owner != "" && w.Owner != w.Object {
			what += ", held by " + b.names.Noun(w.Owner) + ","
		}
		parts = append(parts, b.prose("  ", b.thread(w.Thread)+" waits for "+what+b.in(w.Stack)))
	}
	for i := range bug.Loops {
		l := &bug.Loops[i]
		text := b.thread(l.Thread) + " spins" + b.in(l.Lines)
		if len(l.Waits) > 0 {
			text += " until another thread writes " + l.Waits[0].Name()
		}
		parts = append(parts, b.prose("  ", text))
	}
	for i := range bug.Accesses {
		a := &bug.Accesses[i]
		p := page{style: b.style, names: b.names}
		parts = append(parts, b.text("  ", b.thread(a.Thread)+" "+p.does(a)+b.in(a.Stack)))
	}
	if f, ok := own(bug.Stack); ok && len(parts) == 0 {
		parts = append(parts, b.text("  ", b.thread(bug.Thread)+" failed in "+b.place(f)))
	}
	return parts
}

// preemptions tells which threads were switched away from where.
func (b *digest) preemptions(bug *result.Bug) (parts []func(*page)) {
	for i := range bug.Steps {
		if s := &bug.Steps[i]; s.Preemption {
			text := fmt.Sprintf("%s is %s%s; then %s runs", b.thread(s.From), strings.TrimPrefix(s.Why, "is "), b.in(s.Stack), b.thread(s.To))
			parts = append(parts, b.prose("  switch: ", text))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, b.text("  ", "No thread has to be preempted for it: threads wait, end and begin in this order."))
	}
	return parts
}

// places are the different lines of the student's code, as many as a line of text holds.
func (b *digest) places(stacks [][]result.Frame) (all []string) {
	room := newPage(b.style).width - len(look)
	for _, s := range stacks {
		f, ok := own(s)
		if !ok || slices.Contains(all, b.place(f)) {
			continue
		}
		if room -= len(b.place(f)) + len(", "); room < 0 && len(all) > 0 {
			break
		}
		all = append(all, b.place(f))
	}
	return all
}

// waitsOf are a bug's waits, without those for the end of a thread if there are others:
// such a thread waits for one that waits.
func waitsOf(bug *result.Bug) (all []*result.Wait) {
	for _, ends := range []bool{false, true} {
		for i := range bug.Waits {
			if w := &bug.Waits[i]; (w.For == "thread") == ends {
				all = append(all, w)
			}
		}
		if len(all) > 0 || len(bug.Loops) > 0 {
			return all
		}
	}
	return all
}

// stacksOf are the stacks of a bug, those that say the most first.
func stacksOf(bug *result.Bug) (all [][]result.Frame) {
	for i := range bug.Accesses {
		all = append(all, bug.Accesses[i].Stack)
	}
	for _, w := range waitsOf(bug) {
		all = append(all, w.Stack)
		if a := w.Acquired; a != nil {
			all = append(all, []result.Frame{*a})
		}
	}
	for i := range bug.Loops {
		all = append(all, bug.Loops[i].Lines)
	}
	for i := range bug.Steps {
		if bug.Steps[i].Preemption {
			all = append(all, bug.Steps[i].Stack)
		}
	}
	if bug.Block != nil {
		all = append(all, bug.Block.Allocated.Stack)
		if bug.Block.Freed != nil {
			all = append(all, bug.Block.Freed.Stack)
		}
	}
	return append(all, bug.Stack)
}

// filesOf are the sources that stacks name, the longest names first.
func filesOf(stacks [][]result.Frame) (files []string) {
	for _, s := range stacks {
		for _, f := range s {
			if f.File != "" && !slices.Contains(files, f.File) {
				files = append(files, f.File)
			}
		}
	}
	slices.SortStableFunc(files, func(x, y string) int { return len(y) - len(x) })
	return files
}

// other tells of a result without a bug.
func (b *digest) other(r *result.Result) {
	b.files = filesOf([][]result.Frame{r.Place})
	known := *r
	known.Reason = b.plain(r.Reason)
	b.write(BriefLines/2, func(p *page) { p.headline(&known) })
	if f, ok := own(r.Place); ok {
		b.write(2, b.text("  ", "in "+b.place(f)))
	}
	if r.Problem != "" {
		b.write(BriefLines/2-2, func(p *page) { p.problem(r, r.Verdict == result.Invalid) })
	}
}
