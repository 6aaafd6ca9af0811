package report

import (
	"fmt"
	"strings"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// waits shows the waiting threads, and their cycle.
func (p *page) waits(b *result.Bug) {
	if len(b.Waits) == 0 {
		return
	}
	p.blank()
	names := 0
	alike := map[string][]string{} // threads by how they wait
	for i := range b.Waits {
		w := &b.Waits[i]
		names = max(names, len(p.name(w.Thread)))
		alike[waitKey(w)] = append(alike[waitKey(w)], w.Thread)
	}
	for i := range b.Waits {
		w := &b.Waits[i]
		same := alike[waitKey(w)]
		if many := len(same) > maxAlike && !p.style.Verbose; !many {
			p.wait(w, names)
		} else if w.Thread == same[0] {
			p.wait(w, names)
			p.wrap("     so do  ", fmt.Sprintf("%s: %s", count(uint64(len(same)-1), "other thread"), p.several(same[1:])))
		}
	}
	switch {
	case len(b.Cycle) > 0:
		p.wrap("  ", "cycle: "+strings.Join(p.namesOf(append(b.Cycle[:len(b.Cycle):len(b.Cycle)], b.Cycle[0])), " waits for "))
	case b.Kind == trace.Deadlock:
		p.line("  No thread is left that could let them go on.")
	}
}

// wait shows a waiting thread: where, and where the owner got what it waits for.
func (p *page) wait(w *result.Wait, names int) {
	p.row("")
	p.wrap(fmt.Sprintf("  %-*s  ", names, p.name(w.Thread)), p.waitsFor(w))
	indent := strings.Repeat(" ", names+6)
	f := result.Innermost(w.Stack)
	if f.Function != "" || f.Address != 0 { // else it hasn't run yet
		p.line("%sin %s", indent, p.fit(f, len(indent)+3))
		p.quote(indent+"   ", f, "")
		p.callers(indent, w.Stack)
	}
	if w.Acquired != nil {
		head := indent + p.name(w.Owner) + " got it in "
		p.line("%s%s", head, p.fit(*w.Acquired, len(head)))
		p.quote(indent+"   ", *w.Acquired, "")
	}
}

// maxCallers is how many callers of a waiting function are shown.
const maxCallers = 3

// callers lists the functions that called a stack's innermost one with source lines.
func (p *page) callers(indent string, stack []result.Frame) {
	shown := 0
	for _, f := range p.users(stack) {
		if f.File == "" {
			continue
		}
		if shown > 0 {
			p.line("%sfrom %s", indent, p.fit(f, len(indent)+5))
		}
		if shown++; shown > maxCallers {
			return
		}
	}
}

// waitKey is all of a thread's wait but the thread.
func waitKey(w *result.Wait) string {
	key := fmt.Sprintf("%s %s %s %s %q", w.For, w.Object, w.Address, w.Owner, w.Held)
	for _, f := range w.Stack {
		key += " " + f.Where()
	}
	return key
}

// maxNames is how many threads are named in a list.
const maxNames = 12

// several are threads' names, the first ones of many.
func (p *page) several(paths []string) string {
	var names []string
	for _, path := range paths {
		names = append(names, p.short(path))
	}
	if n := len(names); n > maxNames {
		return strings.Join(names[:maxNames], ", ") + fmt.Sprintf(" and %d more", n-maxNames)
	}
	return strings.Join(names, ", ")
}

// namesOf are threads' names, as people see them.
func (p *page) namesOf(paths []string) (all []string) {
	for _, path := range paths {
		all = append(all, p.name(path))
	}
	return all
}

// awaited is the object of a thread's wait.
func (p *page) awaited(w *result.Wait) string {
	if label := p.name(w.Object); w.For == "thread" && label != w.Object {
		return label + " to end"
	}
	return strings.TrimSpace(w.For + " " + clean(p.names.In(w.Object)))
}

// waitsFor describes a thread's wait in words.
func (p *page) waitsFor(w *result.Wait) string {
	text := "waits for " + p.awaited(w)
	if w.Owner != "" && w.Owner != w.Object {
		text += ", held by " + p.name(w.Owner)
	}
	if len(w.Held) > 0 {
		text += "; holds " + clean(p.names.In(strings.Join(w.Held, ", ")))
	}
	return text
}

// loops shows the loops that a livelock's threads spin in.
func (p *page) loops(loops []result.Loop) {
	if len(loops) == 0 {
		return
	}
	p.blank()
	for _, l := range loops {
		p.line("  %s  spins in", p.name(l.Thread))
		indent := strings.Repeat(" ", len(p.name(l.Thread))+6)
		for _, f := range p.users(l.Lines) {
			p.line("%s%s", indent, p.fit(f, len(indent)))
			p.quote(indent+"   ", f, "")
		}
		for i := range l.Waits {
			a := &l.Waits[i]
			p.line("%suntil another thread writes %s", indent, p.cut(p.waited(a), len(indent)+28))
		}
	}
}

// waited is a loop's read, with the value that it doesn't want.
func (p *page) waited(a *result.Access) string {
	text := clean(p.names.In(a.Name()))
	if a.Old != "" {
		text += fmt.Sprintf(" (it is %s)", clean(p.names.In(a.Old)))
	}
	return text
}
