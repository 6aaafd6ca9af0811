package story

import (
	"fmt"
	"iter"
	"slices"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// Sections of one lock that belong together: a thread releases the lock between two of them, and
// another thread's section comes in between. A run that passes has that one before or after both.

// section is what a thread does while it holds a lock: the accesses from open up to close.
type section struct{ open, close at }

func (s section) has(x at) bool { return !x.before(s.open) && x.before(s.close) }

// mostWithin is how many of a section's accesses are looked at.
const mostWithin = 64

// within are a thread's accesses in a section, the first mostWithin.
func (r *record) within(t trace.TID, s section) iter.Seq2[at, *trace.Access] {
	return func(yield func(at, *trace.Access) bool) {
		n := 0
		for x, a := range r.forward(t, s.open) {
			if n++; n > mostWithin || !s.has(x) || !yield(x, a) {
				return
			}
		}
	}
}

// sections are a thread's sections of a lock. There are none if it waits in one on a condition
// variable: then it releases the lock on purpose.
func (r *record) sections(t trace.TID, lock uint64) (list []section) {
	holds := false
	for i := range r.beats {
		for k := range r.beats[i].ops {
			o, here := &r.beats[i].ops[k], at{i, int(r.beats[i].ops[k].At)}
			switch {
			case r.beats[i].step.Thread != t:
			case holds && o.Kind == trace.OpCondWait:
				return nil
			case o.Obj != lock:
			case takes(o) && !holds:
				list, holds = append(list, section{here, r.end()}), true
			case unlocks(o) && holds:
				list[len(list)-1].close, holds = here, false
			}
		}
	}
	return list
}

// apart: of two sections of a lock that belong together, and one of another thread's in between.
func (st *Story) apart(failed trace.TID, passes *Story) string {
	f := st.flip
	if f.early.op == nil || f.late.op == nil || !takes(f.early.op) || !takes(f.late.op) || f.early.op.Obj != f.late.op.Obj {
		return ""
	}
	lock := f.late.op.Obj
	mine, its := st.sections(f.other, lock), st.sections(f.thread, lock)
	opened := func(list []section) int { // the one that comes first here
		for i := range list {
			if list[i].open.beat == f.first.beat {
				return i
			}
		}
		return -1
	}
	n := opened(mine)
	if n < 0 {
		return ""
	}
	if text := st.betweenTwo(f.thread, f.other, its, mine[n], failed, lock, passes); text != "" {
		return text
	}
	for i := range its {
		if !its[i].open.before(mine[n].close) {
			return st.betweenTwo(f.other, f.thread, mine, its[i], failed, lock, passes)
		}
	}
	return ""
}

// betweenTwo says what is wrong where a section of thread u's comes between two of thread t's.
func (st *Story) betweenTwo(t, u trace.TID, list []section, mid section, failed trace.TID, obj uint64, passes *Story) string {
	var one, two *section
	for i := range list {
		if !mid.open.before(list[i].close) {
			one = &list[i]
		} else if two == nil && !list[i].open.before(mid.close) {
			two = &list[i]
		}
	}
	if one == nil {
		return ""
	}
	lock := st.Guest.VariableName(obj)
	let := st.unlocked(t, lock, one.open, mid.open)
	if let == "" {
		return ""
	}
	if text := st.changedApart(t, u, *one, mid, lock, let, passes); text != "" && failed == u {
		return text
	}
	if two == nil {
		return ""
	}
	if text := st.readApart(t, u, *one, *two, mid, lock, let); text != "" && failed == t {
		return text
	}
	return st.actedLate(t, u, *one, *two, mid, lock, let)
}

// actedLate: thread t reads something in one section and changes something else in the next. In
// between, thread u changes what it has read.
func (st *Story) actedLate(t, u trace.TID, one, two, mid section, lock, let string) string {
	for x, z := range st.outdated(t, u, one, two, mid) {
		for y, w := range st.within(t, two) {
			if !w.IsWrite() || w.Addr < lowestVariable {
				continue
			}
			r, m, c := st.shown(x.beat, x.access), st.shown(z.beat, z.access), st.shown(y.beat, y.access)
			if !plain(&r, &m, &c) {
				continue
			}
			return fmt.Sprintf("Thread %s reads %s (%s) with %s held, releases that (%s), and changes %s (%s) when it holds it again. In between thread %s changes %s (%s). Hold %s over both, or look at %s again after taking it.",
				r.Thread, r.Name(), where(r.Stack), lock, let, c.Name(), where(c.Stack), m.Thread, m.Name(), where(m.Stack), lock, r.Name())
		}
	}
	return ""
}

// readApart: thread t reads two variables in two sections. Thread u changes both in one, in between.
func (st *Story) readApart(t, u trace.TID, one, two, mid section, lock, let string) string {
	for x, z := range st.outdated(t, u, one, two, mid) {
		for y, o := range st.within(t, two) {
			w, by, ok := st.source(y)
			if o.IsWrite() || !ok || by != u || !mid.has(w) || o.Overlaps(st.accessAt(x)) || st.touchedIn(t, one, o) {
				continue
			}
			r, s, m, n := st.shown(x.beat, x.access), st.shown(y.beat, y.access), st.shown(z.beat, z.access), st.shown(w.beat, w.access)
			if text := torn("reads", &r, &s, "changes", &m, &n, lock, let); text != "" {
				return text
			}
		}
	}
	return ""
}

// changedApart: thread t changes two variables in two sections. Thread u reads both in one, in
// between, and fails. A run that passes has thread t's second section.
func (st *Story) changedApart(t, u trace.TID, one, mid section, lock, let string, passes *Story) string {
	for x, a := range st.within(u, mid) {
		w, by, ok := st.source(x)
		if a.IsWrite() || !ok || by != t || !one.has(w) {
			continue
		}
		for y, o := range st.within(u, mid) {
			if o.IsWrite() || o.Overlaps(a) || st.writesIn(t, one, o) {
				continue
			}
			v, ok := passes.changedLater(t, st.accessAt(w), o, lock)
			if !ok {
				continue
			}
			r, s, m, n := st.shown(x.beat, x.access), st.shown(y.beat, y.access), st.shown(w.beat, w.access), passes.shown(v.beat, v.access)
			if text := torn("changes", &m, &n, "reads", &r, &s, lock, let); text != "" {
				return text
			}
		}
	}
	return ""
}

// torn says that one thread does something to two variables in two sections, and another one does
// something to both in between.
func torn(does string, a, b *result.Access, both string, c, d *result.Access, lock, let string) string {
	if !plain(a, b, c, d) || a.Name() == b.Name() {
		return ""
	}
	return fmt.Sprintf("Thread %s %s %s (%s) and %s (%s), and releases %s in between (%s). There thread %s %s both (%s). Hold %s over both %s.",
		a.Thread, does, a.Name(), where(a.Stack), b.Name(), where(b.Stack), lock, let, c.Thread, both, lines(*c, *d), lock, does)
}

// changedLater is where a thread writes what an access reads, under a lock that it has released and
// taken since it made another write.
func (r *record) changedLater(t trace.TID, before, a *trace.Access, lock string) (x at, ok bool) {
	from := at{beat: -1}
	for x, w := range r.forward(t, at{}) {
		switch {
		case !w.IsWrite():
		case w.PC == before.PC && w.Addr == before.Addr && from.beat < 0:
			from = x
		case from.beat >= 0 && w.Overlaps(a):
			for _, held := range common(r.anyHeld(from), r.anyHeld(x)) {
				if held == lock && r.operation(from, x, func(o *trace.Op) bool { return unlocks(o) && r.Guest.VariableName(o.Obj) == lock }) {
					return x, true
				}
			}
			return x, false
		}
	}
	return x, false
}

// outdated are reads of thread t's in one section, each with where thread u changes the same bytes in
// between. Thread t neither writes them before the section ends nor touches them in the next.
func (st *Story) outdated(t, u trace.TID, one, two, mid section) iter.Seq2[at, at] {
	return func(yield func(read, changed at) bool) {
		for x, a := range st.within(t, one) {
			z, ok := st.changedIn(u, mid, x, a)
			if ok && !st.touchedIn(t, two, a) && !st.writesIn(t, section{x, one.close}, a) && !yield(x, z) {
				return
			}
		}
	}
}

// changedIn is where, in a section of its own, another thread writes another value to what an access
// has read.
func (st *Story) changedIn(u trace.TID, mid section, x at, a *trace.Access) (z at, ok bool) {
	if a.IsWrite() || a.Addr < lowestVariable {
		return z, false
	}
	for z, w := range st.within(u, mid) {
		if w.IsWrite() && w.Addr == a.Addr && w.Size == a.Size && st.rawAt(z) != st.rawAt(x) {
			return z, true
		}
	}
	return z, false
}

// touchedIn reports whether a thread uses some of an access's bytes in a section.
func (r *record) touchedIn(t trace.TID, s section, a *trace.Access) bool {
	return r.usedIn(t, s, a, false)
}

// writesIn reports whether a thread writes some of an access's bytes in a section.
func (r *record) writesIn(t trace.TID, s section, a *trace.Access) bool {
	return r.usedIn(t, s, a, true)
}

func (r *record) usedIn(t trace.TID, s section, a *trace.Access, writes bool) bool {
	for x, o := range r.forward(t, s.open) {
		if !s.has(x) {
			return false
		}
		if o.Overlaps(a) && (o.IsWrite() || !writes) {
			return true
		}
	}
	return false
}

// plain reports whether accesses are to the guest's own variables, and have lines.
func plain(list ...*result.Access) bool {
	return !slices.ContainsFunc(list, func(a *result.Access) bool { return a.Symbol == "" || a.Bookkeeping || where(a.Stack) == "" })
}
