package report

import (
	"fmt"
	"slices"
	"sort"
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
	p.legend(b.ThreadStarts)
	lanes := threadsOf(b.Steps)
	head := ""
	for _, name := range lanes {
		head += fmt.Sprintf("%*s", laneWidth(lanes), name)
	}
	p.line("     %s", head)
	for i := range b.Steps {
		p.row(switchKey(&b.Steps[i], lanes))
		p.switchRow(i+1, &b.Steps[i], lanes)
	}
	if len(p.visible(b.Last))+len(b.LastWakings) > 0 {
		p.row("")
		p.line("     then %s", b.Steps[len(b.Steps)-1].To)
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
		p.line("%s%s", indent, p.cut(clean(wakes(&wakings[i])), len(indent)))
	}
}

// did1 is an access with its thread and line.
func (p *page) did1(a *result.Access) string {
	thread := a.Thread
	if thread != "" {
		thread += " "
	}
	return thread + p.does(a) + inPassing(result.Innermost(a.Stack))
}

// wakes says which threads a call wakes.
func wakes(w *result.Waking) string {
	text := w.Thread + " " + w.Does + inPassing(w.Place)
	if len(w.Wakes) == 0 {
		return text + ": no thread waits for it"
	}
	return text + ": wakes " + list(w.Wakes)
}

// switchKey is what a switch says but for its numbers; threads count as such where
// none has a column.
func switchKey(s *result.Step, lanes []string) string {
	threads := s.From + " " + s.To
	if len(lanes) == 0 {
		threads = ""
	}
	key := fmt.Sprint(threads, s.Preemption, numberless(s.Why), result.Innermost(s.Stack))
	for i := range s.Accesses {
		key += accessKey(&s.Accesses[i])
	}
	for i := range s.Wakings {
		key += numberless(s.Wakings[i].Does) + fmt.Sprint(s.Wakings[i].Place)
	}
	return key
}

// accessKey is what an access says but for its numbers.
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

// legend lists the threads with their origin, in the order of their numbers. Many in a
// row with the same one share a line.
func (p *page) legend(starts []result.ThreadStart) {
	starts = slices.SortedFunc(slices.Values(starts), func(a, b result.ThreadStart) int {
		switch {
		case threadLess(a.Thread, b.Thread):
			return -1
		case threadLess(b.Thread, a.Thread):
			return 1
		}
		return 0
	})
	for len(starts) > 0 {
		text := p.startOf(&starts[0])
		n := 1
		for n < len(starts) && p.startOf(&starts[n]) == text {
			n++
		}
		if n > maxAlike {
			p.wrap("  ", fmt.Sprintf("%s to %s run%s", starts[0].Thread, starts[n-1].Thread, text))
		} else {
			for _, s := range starts[:n] {
				p.wrap("  ", fmt.Sprintf("%s runs%s", s.Thread, text))
			}
		}
		starts = starts[n:]
	}
}

// startOf is a thread's function and where it was created.
func (p *page) startOf(s *result.ThreadStart) string {
	text := strings.TrimSuffix(" "+clean(s.Function), " ")
	if s.Created != nil {
		text += ", created in " + p.where(*s.Created)
	}
	return text
}

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
	sort.Slice(names, func(i, j int) bool { return threadLess(names[i], names[j]) })
	return names
}

// threadLess orders path names by their numbers: 0, 0.1, 0.1.1, 0.2, 0.10.
func threadLess(a, b string) bool {
	for a != "" && b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		if x != y {
			return len(x) < len(y) || len(x) == len(y) && x < y
		}
	}
	return len(a) < len(b)
}

// laneWidth is the width of a thread's column.
func laneWidth(lanes []string) int {
	w := 4
	for _, name := range lanes {
		w = max(w, len(name)+2)
	}
	return w
}

// switchRow is one switch: an arrow from the thread that stops to the one that
// goes on, why, and where the first one stops.
func (p *page) switchRow(n int, s *result.Step, lanes []string) {
	f := result.Innermost(s.Stack)
	head := fmt.Sprintf("%4d %s  ", n, arrow(s, lanes))
	why := s.Why
	if s.From != "" {
		why = s.From + " " + why + ", then " + s.To
	} else {
		why = s.To + " " + why
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
func by(a *result.Access, others string) string {
	if a.Thread == others || a.Thread == "" {
		return ""
	}
	return a.Thread + " "
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
func arrow(s *result.Step, lanes []string) string {
	if len(lanes) == 0 {
		return ""
	}
	w := laneWidth(lanes)
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
