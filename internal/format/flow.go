package format

import (
	"fmt"

	"landgo/internal/result"
)

// maxFlow is how many places of an interleaving a document has. GitHub takes 10,000,
// more than a person reads.
const maxFlow = 1000

// moment is one place of an interleaving.
type moment struct {
	thread, message, importance string
	place                       result.Frame
}

// moments are the places of a bug's interleaving in the order of time: what each thread
// did before it was switched away from, the switch, and at last the failure.
func moments(b *result.Bug) (all []moment) {
	names := b.Names()
	did := func(thread string, accesses []result.Access, wakings []result.Waking) {
		for i := range accesses {
			a := &accesses[i]
			if a.Bookkeeping {
				continue
			}
			all = append(all, moment{orElse(a.Thread, thread), fmt.Sprintf("%s %s %s%s", names.Noun(orElse(a.Thread, thread)), a.Op, names.In(a.Name()), names.In(values(a))), "important", result.Innermost(a.Stack)})
		}
		for i := range wakings {
			w := &wakings[i]
			all = append(all, moment{orElse(w.Thread, thread), fmt.Sprintf("%s %s", names.Noun(orElse(w.Thread, thread)), names.In(w.Does)), "important", w.Place})
		}
	}
	last := b.Thread
	for i := range b.Steps {
		s := &b.Steps[i]
		did(s.From, s.Accesses, s.Wakings)
		m := moment{s.From, fmt.Sprintf("%s %s; then %s runs", names.Noun(s.From), names.In(s.Why), names.Noun(s.To)), "important", result.Innermost(s.Stack)}
		if s.From == "" {
			m.thread, m.message = s.To, fmt.Sprintf("%s %s", names.Noun(s.To), names.In(s.Why))
		}
		if s.Preemption {
			m.importance = "essential"
		}
		all = append(all, m)
		last = s.To
	}
	did(last, b.Last, b.LastWakings)
	if len(b.Stack) > 0 {
		all = append(all, moment{b.Thread, fmt.Sprintf("%s: %s: %s", names.Noun(b.Thread), b.Kind, b.Says()), "essential", result.Innermost(b.Stack)})
	}
	if len(all) > maxFlow {
		all = append(all[:maxFlow/2:maxFlow/2], all[len(all)-maxFlow/2:]...)
	}
	return all
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// values are those of an access.
func values(a *result.Access) string {
	switch {
	case a.Old != "" && a.New != "":
		return " (" + a.Old + " -> " + a.New + ")"
	case a.Old+a.New != "":
		return " (" + a.Old + a.New + ")"
	}
	return ""
}

// sarifThreads is the interleaving as SARIF has it: a flow for each thread, with the
// place of each of its moments in the order of all (3.38.11).
func sarifThreads(c *Case, b *result.Bug, o Options) (flows []sarifThreadFlow) {
	names := b.Names()
	at := map[string]int{}
	starts := map[string]string{}
	for _, s := range b.ThreadStarts {
		starts[s.Thread] = s.Function
	}
	for n, m := range moments(b) {
		i, ok := at[m.thread]
		if !ok {
			i = len(flows)
			at[m.thread] = i
			text := names.Noun(m.thread)
			if text != "thread "+m.thread {
				text += " is thread " + m.thread
			} else if f := starts[m.thread]; f != "" {
				text += " runs " + f
			}
			flows = append(flows, sarifThreadFlow{ID: "thread " + result.Printable(m.thread), Message: sarifText(text)})
		}
		flows[i].Locations = append(flows[i].Locations, sarifFlowLocation{sarifAt(c, m.place, m.message, o), n + 1, m.importance})
	}
	return flows
}
