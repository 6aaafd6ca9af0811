package report

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/result"
)

// account tells a replay step by step: the thread, its actions, the place, and
// the reason for a switch.
func (p *page) account(events []result.Event) {
	names := len("thread")
	for i := range events {
		names = max(names, len(events[i].Thread))
	}
	p.blank()
	p.line("Step by step:")
	p.line("%5s  %-*s  what it does, and where", "step", names, "thread")
	same := uint64(0)
	for i := range events {
		if i > 0 && again(&events[i-1], &events[i]) {
			same++
			continue
		}
		p.times(same)
		same = 0
		p.event(i+1, &events[i], names)
	}
	p.times(same)
}

// times says that so many steps of the same kind followed the last one: turns
// of a loop, maybe thousands.
func (p *page) times(n uint64) {
	if n > 0 {
		p.line("       and %s that %s the same", count(n, "step"), map[bool]string{true: "does", false: "do"}[n == 1])
	}
}

// again reports whether a step is told in the words of the one before it.
func again(before, e *result.Event) bool {
	if e.Thread != before.Thread || e.Does != before.Does || len(e.Accesses) != len(before.Accesses) || len(e.Accesses)+len(e.Does) == 0 ||
		e.Output != "" || e.Choice != 0 || e.ChoiceText != "" || e.Switch != "" || before.Switch != "" {
		return false
	}
	if e.Does != "" && result.Innermost(e.Stack) != result.Innermost(before.Stack) {
		return false
	}
	for i := range e.Accesses {
		a, b := &e.Accesses[i], &before.Accesses[i]
		if a.Thread != b.Thread || a.Op != b.Op || a.Name() != b.Name() || a.Old != b.Old || a.New != b.New || a.Instruction != b.Instruction ||
			!slices.Equal(a.Held, b.Held) || result.Innermost(a.Stack) != result.Innermost(b.Stack) {
			return false
		}
	}
	return true
}

func (p *page) event(n int, e *result.Event, names int) {
	head := fmt.Sprintf("%5d  %-*s  ", n, names, e.Thread)
	rows := p.eventRows(e)
	for i, r := range rows {
		if i > 0 {
			head = strings.Repeat(" ", len(head))
		}
		if len(head)+len(r.what)+2+len(r.where) <= p.width {
			p.line("%s%-*s  %s", head, min(p.width-len(head)-len(r.where)-2, 34), r.what, r.where)
		} else {
			p.wrap(head, r.what)
			p.line("%*s  in %s", len(head), "", p.fit(r.frame, len(head)+5))
		}
		p.quote(strings.Repeat(" ", len(head)+2), r.frame, r.instruction)
	}
	indent := strings.Repeat(" ", len(head))
	if e.ChoiceText != "" {
		p.wrap(indent, "outcome "+fmt.Sprint(e.Choice)+": "+clean(e.ChoiceText))
	}
	for _, l := range strings.Split(strings.TrimRight(e.Output, "\n"), "\n") {
		if l != "" {
			p.line("%s", indent+"writes: "+p.cut(clean(l), len(indent)+8))
		}
	}
	if e.Switch != "" {
		mark := "----"
		if e.Preemption {
			mark = "===="
		}
		p.wrap(strings.Repeat(" ", 7)+mark+" ", fmt.Sprintf("%s %s (instruction %s)", e.Thread, clean(e.Switch), group(e.End)))
	}
}

// eventRow is one line of an event.
type eventRow struct {
	what, where, instruction string
	frame                    result.Frame
}

func (p *page) eventRows(e *result.Event) (rows []eventRow) {
	if e.Does != "" {
		f := result.Innermost(e.Stack)
		rows = append(rows, eventRow{what: clean(e.Does), where: p.where(f), frame: f})
	}
	for i := range e.Accesses {
		a := &e.Accesses[i]
		f := result.Innermost(a.Stack)
		rows = append(rows, eventRow{what: by(a, e.Thread) + p.does(a), where: p.where(f), frame: f, instruction: a.Instruction})
	}
	if len(rows) == 0 {
		f := result.Innermost(e.Stack)
		rows = append(rows, eventRow{what: fmt.Sprintf("runs %s alone", count(e.End-e.Begin, "instruction")), where: p.where(f), frame: f})
	}
	return rows
}
