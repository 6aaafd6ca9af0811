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
	for _, w := range b.Waits {
		names = max(names, len(w.Thread))
	}
	for i := range b.Waits {
		w := &b.Waits[i]
		f := result.Innermost(w.Stack)
		p.line("  %-*s  %s", names, w.Thread, p.cut(p.waitsFor(w), names+4))
		indent := strings.Repeat(" ", names+6)
		if f.Function != "" || f.Address != 0 { // else it hasn't run yet
			p.line("%sin %s", indent, p.fit(f, len(indent)+3))
			p.quote(indent+"   ", f, "")
		}
		if w.Acquired != nil {
			head := indent + w.Owner + " got it in "
			p.line("%s%s", head, p.fit(*w.Acquired, len(head)))
			p.quote(indent+"   ", *w.Acquired, "")
		}
	}
	switch {
	case len(b.Cycle) > 0:
		p.wrap("  ", "cycle: "+strings.Join(append(b.Cycle[:len(b.Cycle):len(b.Cycle)], b.Cycle[0]), " waits for "))
	case b.Kind == trace.Deadlock:
		p.line("  No thread is left that could let them go on.")
	}
}

// waitsFor describes a thread's wait in words.
func (p *page) waitsFor(w *result.Wait) string {
	text := fmt.Sprintf("waits for %s %s", w.For, clean(w.Object))
	if w.Owner != "" && w.Owner != w.Object {
		text += ", held by " + w.Owner
	}
	if len(w.Held) > 0 {
		text += "; holds " + clean(strings.Join(w.Held, ", "))
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
		p.line("  %s  spins in", l.Thread)
		indent := strings.Repeat(" ", len(l.Thread)+6)
		for _, f := range l.Lines {
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
	text := clean(a.Name())
	if a.Old != "" {
		text += fmt.Sprintf(" (it is %s)", a.Old)
	}
	return text
}
