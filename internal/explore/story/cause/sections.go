package cause

import (
	"fmt"
	"iter"
	"slices"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// Sections of one lock that belong together: a thread releases the lock between two of them, and
// another thread's section comes in between. A run that passes has that one before or after both.

// apart: of two sections of a lock that belong together, and one of another thread's in between.
func (pr *Pair) apart(failed trace.TID) string {
	f := pr.flip
	if f.early.op == nil || f.late.op == nil || !record.Takes(f.early.op) || !record.Takes(f.late.op) || f.early.op.Obj != f.late.op.Obj {
		return ""
	}
	lock := f.late.op.Obj
	mine, its := pr.Sections(f.other, lock), pr.Sections(f.thread, lock)
	opened := func(list []record.Section) int { // the one that comes first here
		for i := range list {
			if list[i].Open.Beat == f.first.Beat {
				return i
			}
		}
		return -1
	}
	n := opened(mine)
	if n < 0 {
		return ""
	}
	if text := pr.betweenTwo(f.thread, f.other, its, mine[n], failed, lock); text != "" {
		return text
	}
	for i := range its {
		if !its[i].Open.Before(mine[n].Close) {
			return pr.betweenTwo(f.other, f.thread, mine, its[i], failed, lock)
		}
	}
	return ""
}

// betweenTwo says what is wrong where a section of thread u's comes between two of thread t's.
func (pr *Pair) betweenTwo(t, u trace.TID, list []record.Section, mid record.Section, failed trace.TID, obj uint64) string {
	var one, two *record.Section
	for i := range list {
		if !mid.Open.Before(list[i].Close) {
			one = &list[i]
		} else if two == nil && !list[i].Open.Before(mid.Close) {
			two = &list[i]
		}
	}
	if one == nil {
		return ""
	}
	lock := pr.guest.VariableName(obj)
	let := pr.unlocked(t, lock, one.Open, mid.Open)
	if let == "" {
		return ""
	}
	if text := pr.changedApart(t, u, *one, mid, lock, let); text != "" && failed == u {
		return text
	}
	if two == nil {
		return ""
	}
	if text := pr.readApart(t, u, *one, *two, mid, lock, let); text != "" && failed == t {
		return text
	}
	return pr.actedLate(t, u, *one, *two, mid, lock, let)
}

// actedLate: thread t reads something in one section and changes something else in the next. In
// between, thread u changes what it has read.
func (cs *Case) actedLate(t, u trace.TID, one, two, mid record.Section, lock, let string) string {
	for x, z := range cs.outdated(t, u, one, two, mid) {
		for y, w := range cs.Within(t, two) {
			if !w.IsWrite() || w.Addr < record.LowestVariable {
				continue
			}
			r, m, c := cs.Shown(x), cs.Shown(z), cs.Shown(y)
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
func (cs *Case) readApart(t, u trace.TID, one, two, mid record.Section, lock, let string) string {
	for x, z := range cs.outdated(t, u, one, two, mid) {
		for y, o := range cs.Within(t, two) {
			w, by, ok := cs.Source(y)
			if o.IsWrite() || !ok || by != u || !mid.Has(w) || o.Overlaps(cs.AccessAt(x)) || cs.TouchedIn(t, one, o) {
				continue
			}
			r, s, m, n := cs.Shown(x), cs.Shown(y), cs.Shown(z), cs.Shown(w)
			if text := torn("reads", &r, &s, "changes", &m, &n, lock, let); text != "" {
				return text
			}
		}
	}
	return ""
}

// changedApart: thread t changes two variables in two sections. Thread u reads both in one, in
// between, and fails. A run that passes has thread t's second section.
func (pr *Pair) changedApart(t, u trace.TID, one, mid record.Section, lock, let string) string {
	for x, a := range pr.Within(u, mid) {
		w, by, ok := pr.Source(x)
		if a.IsWrite() || !ok || by != t || !one.Has(w) {
			continue
		}
		for y, o := range pr.Within(u, mid) {
			if o.IsWrite() || o.Overlaps(a) || pr.WritesIn(t, one, o) {
				continue
			}
			v, ok := pr.passes.changedLater(t, pr.AccessAt(w), o, lock)
			if !ok {
				continue
			}
			r, s, m, n := pr.Shown(x), pr.Shown(y), pr.Shown(w), pr.passes.Shown(v)
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
func (cs *Case) changedLater(t trace.TID, before, a *trace.Access, lock string) (x at, ok bool) {
	from := at{Beat: -1}
	for x, w := range cs.Forward(t, at{}) {
		switch {
		case !w.IsWrite():
		case w.PC == before.PC && w.Addr == before.Addr && from.Beat < 0:
			from = x
		case from.Beat >= 0 && w.Overlaps(a):
			for _, held := range common(cs.AnyHeld(from), cs.AnyHeld(x)) {
				if held == lock && cs.Operation(from, x, func(o *trace.Op) bool { return record.Unlocks(o) && cs.guest.VariableName(o.Obj) == lock }) {
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
func (cs *Case) outdated(t, u trace.TID, one, two, mid record.Section) iter.Seq2[at, at] {
	return func(yield func(read, changed at) bool) {
		for x, a := range cs.Within(t, one) {
			z, ok := cs.changedIn(u, mid, x, a)
			if ok && !cs.TouchedIn(t, two, a) && !cs.WritesIn(t, record.Section{Open: x, Close: one.Close}, a) && !yield(x, z) {
				return
			}
		}
	}
}

// changedIn is where, in a section of its own, another thread writes another value to what an access
// has read.
func (cs *Case) changedIn(u trace.TID, mid record.Section, x at, a *trace.Access) (z at, ok bool) {
	if a.IsWrite() || a.Addr < record.LowestVariable {
		return z, false
	}
	for z, w := range cs.Within(u, mid) {
		if w.IsWrite() && w.Addr == a.Addr && w.Size == a.Size && cs.RawAt(z) != cs.RawAt(x) {
			return z, true
		}
	}
	return z, false
}

// plain reports whether accesses are to the guest's own variables, and have lines.
func plain(list ...*result.Access) bool {
	return !slices.ContainsFunc(list, func(a *result.Access) bool { return a.Symbol == "" || a.Bookkeeping || where(a.Stack) == "" })
}

// underWay: a thread changes two variables under a lock for each, and releases the first before it takes
// the second. In between another one holds both, reads both variables, and fails.
func (pr *Pair) underWay(failed trace.TID) string {
	var reads []at // with two locks at least, the last first
	n := 0
	for x, a := range pr.Backward(failed, pr.End()) {
		if n++; n > mostUses {
			break
		}
		if !a.IsWrite() && a.Addr >= record.LowestVariable && len(pr.AnyHeld(x)) > 1 {
			reads = append(reads, x)
		}
	}
	for _, x := range reads {
		w, t, ok := pr.Source(x)
		if !ok || t == failed {
			continue
		}
		for _, y := range reads {
			if text := pr.oneUnderWay(t, x, y, w); text != "" {
				return text
			}
		}
	}
	return ""
}

// oneUnderWay is underWay of two reads: thread t has written what the first finds, and changes what the
// second looks at only later.
func (pr *Pair) oneUnderWay(t trace.TID, x, y, w at) string {
	o, locks := pr.AccessAt(y), common(pr.AnyHeld(x), pr.AnyHeld(y))
	if o.Overlaps(pr.AccessAt(x)) || pr.WritesIn(t, record.Section{Open: w, Close: y}, o) {
		return ""
	}
	for _, lock := range common(pr.AnyHeld(w), locks) {
		first, v, ok := pr.passes.nextWrite(t, pr.AccessAt(w), o)
		if !ok {
			return ""
		}
		its := common(pr.passes.AnyHeld(v), locks)
		let := pr.passes.unlocked(t, lock, first, v)
		if let == "" || len(its) == 0 || slices.Contains(its, lock) {
			continue
		}
		r, s, m, c := pr.Shown(x), pr.Shown(y), pr.Shown(w), pr.passes.Shown(v)
		if !plain(&r, &s, &m, &c) || m.Name() == c.Name() {
			return ""
		}
		return fmt.Sprintf("Thread %s changes %s (%s) under %s, releases that (%s), and changes %s (%s) under %s only then. In between thread %s holds both locks and reads both (%s). Take both locks before the first change.",
			m.Thread, m.Name(), where(m.Stack), lock, let, c.Name(), where(c.Stack), its[0], r.Thread, lines(r, s))
	}
	return ""
}

// nextWrite is where a thread makes a write, and where it writes what another access is to after that.
func (cs *Case) nextWrite(t trace.TID, write, o *trace.Access) (first, next at, ok bool) {
	first.Beat = -1
	for x, a := range cs.Forward(t, at{}) {
		switch {
		case !a.IsWrite():
		case first.Beat < 0 && a.PC == write.PC && a.Addr == write.Addr:
			first = x
		case first.Beat >= 0 && a.Overlaps(o):
			return first, x, true
		}
	}
	return first, next, false
}
