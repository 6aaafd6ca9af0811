package report

import (
	"fmt"
	"strings"

	"landgo/internal/result"
)

// account tells a replay step by step: the thread, its actions, the place, and
// the reason for a switch.
func (p *page) account(events []result.Event) {
	names := len("thread")
	for i := range events {
		names = max(names, len(p.short(events[i].Thread)))
	}
	p.blank()
	p.line("Step by step:")
	p.line("%5s  %-*s  what it does, and where", "step", names, "thread")
	many := crowded(events)
	for i := range events {
		p.row(eventKey(&events[i], many))
		p.event(i+1, &events[i], names)
	}
}

// crowded reports whether there are more threads than lanes.
func crowded(events []result.Event) bool {
	seen := map[string]bool{}
	for i := range events {
		seen[events[i].Thread] = true
	}
	return len(seen) > maxLanes
}

// eventKey is a step's text but for its numbers; those of many threads count as such.
func eventKey(e *result.Event, many bool) string {
	thread := e.Thread
	if many {
		thread = ""
	}
	var key strings.Builder
	fmt.Fprint(&key, thread, numberless(e.Does), e.ChoiceText, numberless(e.Output), numberless(e.Switch))
	if e.Does != "" || len(e.Accesses) == 0 {
		fmt.Fprint(&key, result.Innermost(e.Stack))
	}
	for i := range e.Accesses {
		key.WriteString(other(&e.Accesses[i], e.Thread) + accessKey(&e.Accesses[i]))
	}
	return key.String()
}

func (p *page) event(n int, e *result.Event, names int) {
	head := fmt.Sprintf("%5d  %-*s  ", n, names, p.short(e.Thread))
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
		p.wrap(indent, "outcome "+fmt.Sprint(e.Choice)+": "+clean(p.names.In(e.ChoiceText)))
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
		p.wrap(strings.Repeat(" ", 7)+mark+" ", fmt.Sprintf("%s %s (instruction %s)", p.short(e.Thread), clean(p.names.In(e.Switch)), group(e.End)))
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
		rows = append(rows, eventRow{what: clean(p.names.In(e.Does)), where: p.where(f), frame: f})
	}
	for i := range e.Accesses {
		a := &e.Accesses[i]
		f := result.Innermost(a.Stack)
		rows = append(rows, eventRow{what: p.by(a, e.Thread) + p.does(a), where: p.where(f), frame: f, instruction: a.Instruction})
	}
	if len(rows) == 0 {
		f := result.Innermost(e.Stack)
		rows = append(rows, eventRow{what: fmt.Sprintf("runs %s alone", count(e.End-e.Begin, "instruction")), where: p.where(f), frame: f})
	}
	return rows
}
