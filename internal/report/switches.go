package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"landgo/internal/result"
)

// maxLanes is the number of threads that get a column of their own. A table
// with more wouldn't fit; each row names its threads all the same.
const maxLanes = 10

// switches shows the interleaving: one column a thread, one row a switch.
func (p *page) switches(b *result.Bug) {
	if len(b.Steps) == 0 {
		return
	}
	p.blank()
	p.line("Switches: %d, with %s%s", len(b.Steps), count(uint64(b.Preemptions), "preemption"), fewest(b))
	lanes := threadsOf(b.Steps)
	head := ""
	for _, name := range lanes {
		head += fmt.Sprintf("%*s", p.laneWidth(lanes), p.short(name))
	}
	p.line("     %s", head)
	for i := range b.Steps {
		p.row(switchKey(&b.Steps[i], lanes))
		p.switchRow(i+1, &b.Steps[i], lanes)
	}
	if len(p.visible(b.Last))+len(b.LastWakings) > 0 {
		p.row("")
		p.line("     then %s", p.short(b.Steps[len(b.Steps)-1].To))
		p.did(strings.Repeat(" ", 7), b.Last, b.LastWakings)
	}
}

// visible are the accesses that a reader wants to see.
func (p *page) visible(list []result.Access) (seen []*result.Access) {
	for i := range list {
		if a := &list[i]; !a.Bookkeeping || p.style.Verbose {
			seen = append(seen, a)
		}
	}
	return seen
}

// did lists a thread's accesses before a switch, and the threads that it woke.
func (p *page) did(indent string, accesses []result.Access, wakings []result.Waking) {
	before := ""
	for _, a := range p.visible(accesses) {
		if key := a.Thread + a.Op + a.Name() + inPassing(result.Innermost(a.Stack)); len(a.Stack) > 1 && a.Stack[0].Library && !p.style.Verbose {
			if key == before {
				continue // a library's several accesses for one call
			}
			before = key
		} else {
			before = ""
		}
		p.line("%s%s", indent, p.cut(p.did1(a), len(indent)))
	}
	for i := range wakings {
		p.line("%s%s", indent, p.cut(clean(p.wakes(&wakings[i])), len(indent)))
	}
}

// did1 is an access with its thread and line.
func (p *page) did1(a *result.Access) string {
	thread := p.short(a.Thread)
	if thread != "" {
		thread += " "
	}
	return thread + p.does(a) + inPassing(result.Innermost(a.Stack))
}

// wakes says which threads a call wakes.
func (p *page) wakes(w *result.Waking) string {
	text := p.short(w.Thread) + " " + p.names.In(w.Does) + inPassing(w.Place)
	switch {
	case len(w.Wakes) == 0 && (w.Signal || w.Timeout):
		return text
	case w.Timeout:
		return text + ", and with it " + p.several(w.Wakes)
	case len(w.Wakes) == 0:
		return text + ": no thread waits for it"
	}
	return text + ": wakes " + p.several(w.Wakes)
}

// switchKey is a switch's text but for its numbers; threads count as such where
// none has a column.
func switchKey(s *result.Step, lanes []string) string {
	threads := s.From + " " + s.To
	if len(lanes) == 0 {
		threads = ""
	}
	var key strings.Builder // a step may have 100,000 accesses
	fmt.Fprint(&key, threads, s.Preemption, numberless(s.Why), result.Innermost(s.Stack))
	for i := range s.Accesses {
		key.WriteString(accessKey(&s.Accesses[i]))
	}
	for i := range s.Wakings {
		key.WriteString(numberless(s.Wakings[i].Does) + fmt.Sprint(s.Wakings[i].Place))
	}
	return key.String()
}

// accessKey is an access's text but for its numbers.
func accessKey(a *result.Access) string {
	return fmt.Sprint(a.Op, numberless(a.Name()), a.Instruction, numberless(strings.Join(a.Held, " ")), result.Innermost(a.Stack))
}

// fewest says how few preemptions these are.
func fewest(b *result.Bug) string {
	switch {
	case b.Preemptions == 0:
		return ""
	case b.Minimal == result.Proven:
		return " (no interleaving with fewer has the bug)"
	}
	return " (the fewest found)"
}

// maxAlike is how many threads in a row with one origin have a line each.
const maxAlike = 3

// legend introduces the threads, in the order of their numbers: the label, the path name,
// the function and where it is, and where the thread was created. Many in a row with the
// same origin share a line.
func (p *page) legend(starts []result.ThreadStart) {
	starts = slices.SortedStableFunc(slices.Values(starts), func(a, b result.ThreadStart) int {
		return cmp.Or(cmp.Compare(a.Number(), b.Number()), result.ComparePaths(a.Thread, b.Thread))
	})
	for len(starts) > 0 {
		text := p.startOf(&starts[0])
		n := 1
		for n < len(starts) && p.startOf(&starts[n]) == text {
			n++
		}
		if n > maxAlike {
			p.wrap("  ", p.short(starts[0].Thread)+" to "+p.short(starts[n-1].Thread)+" = "+starts[0].Thread+" to "+starts[n-1].Thread+text)
		} else {
			for _, s := range starts[:n] {
				p.wrap("  ", fmt.Sprintf("%s = %s%s", p.short(s.Thread), s.Thread, text))
			}
		}
		starts = starts[n:]
	}
}

// startOf is a thread's function, where it is, and where the thread was created.
func (p *page) startOf(s *result.ThreadStart) string {
	text := strings.TrimSuffix(" "+clean(s.Function), " ")
	if d := s.Defined; d != nil && text != "" && !strings.HasPrefix(s.Function, "lambda at ") {
		text += fmt.Sprintf(" (%s:%d)", p.file(d.File), d.Line)
	}
	if s.Created != nil {
		text += ", created in " + p.where(*s.Created)
	}
	return text
}

// short is a thread's name without its function, for tables.
func (p *page) short(path string) string { return clean(p.names.Short(path)) }

// threadsOf lists the threads that the steps name, in the order of their
// names, or none if there are too many to draw.
func threadsOf(steps []result.Step) []string {
	seen := map[string]bool{}
	var names []string
	for _, s := range steps {
		for _, n := range []string{s.From, s.To} {
			if n != "" && !seen[n] {
				seen[n] = true
				names = append(names, n)
			}
		}
	}
	if len(names) > maxLanes {
		return nil
	}
	slices.SortFunc(names, result.ComparePaths)
	return names
}

// laneWidth is the width of a thread's column.
func (p *page) laneWidth(lanes []string) int {
	w := 4
	for _, name := range lanes {
		w = max(w, len(p.short(name))+2)
	}
	return w
}

// switchRow is one switch: an arrow from the thread that stops to the one that
// goes on, why, and where the first one stops.
func (p *page) switchRow(n int, s *result.Step, lanes []string) {
	f := result.Innermost(s.Stack)
	head := fmt.Sprintf("%4d %s  ", n, arrow(s, lanes, p.laneWidth(lanes)))
	why := p.names.In(s.Why)
	if s.From != "" {
		why = p.short(s.From) + " " + why + ", then " + p.short(s.To)
	} else {
		why = p.short(s.To) + " " + why
	}
	why = clean(why)
	place := ""
	if len(s.Stack) > 0 && (f.File != "" || s.Why != "ended" || p.style.Verbose) { // that is in the library
		place = p.where(f)
	}
	if len(head)+len(why)+2+len(place) <= p.width {
		p.line("%s%-*s  %s", head, min(p.width-len(head)-len(place)-2, 34), why, place)
	} else {
		p.wrap(head, why)
		if place != "" {
			p.line("%*s  in %s", len(head), "", p.fit(f, len(head)+5))
		}
	}
	if s.Preemption {
		p.quote(strings.Repeat(" ", len(head)+2), f, "")
	}
	p.did(strings.Repeat(" ", len(head)+2), s.Accesses, s.Wakings)
}

// by names the thread of an access that is listed among another's.
func (p *page) by(a *result.Access, others string) string {
	if name := other(a, others); name != "" {
		return p.short(name) + " "
	}
	return ""
}

// other is the thread of an access that is listed among another's, or "".
func other(a *result.Access, others string) string {
	if a.Thread == others {
		return ""
	}
	return a.Thread
}

// inPassing is where an access was made: the line, or, of code without debug
// information, the function.
func inPassing(f result.Frame) string {
	switch {
	case f.Line > 0:
		return fmt.Sprintf(", line %d", f.Line)
	case f.Function != "":
		return ", in " + f.Function
	}
	return ""
}

// arrow draws a switch across the threads' columns.
func arrow(s *result.Step, lanes []string, w int) string {
	if len(lanes) == 0 {
		return ""
	}
	row := []byte(strings.Repeat(" ", w*len(lanes)))
	from, to := -1, -1
	for i, name := range lanes {
		row[w*(i+1)-1] = '.'
		if name == s.From {
			from = w*(i+1) - 1
		}
		if name == s.To {
			to = w*(i+1) - 1
		}
	}
	switch {
	case from < 0:
		row[to] = 'o'
	case from < to:
		fill(row[from+1:to], '-')
		row[from], row[to] = 'o', '>'
	case to < from:
		fill(row[to+1:from], '-')
		row[from], row[to] = 'o', '<'
	default:
		row[from] = 'o'
	}
	return string(row)
}

func fill(p []byte, c byte) {
	for i := range p {
		p[i] = c
	}
}
