package choose

import (
	"fmt"
	"strings"

	"landgo/internal/debugger"
	"landgo/internal/result"
)

// shownSteps is how many steps of a move are shown: of more, the last.
const shownSteps = 20

// movedText tells the steps that a move took, or where it led back to, and what that
// changed.
func (r *Run) movedText(before int, v *debugger.View) string {
	var b strings.Builder
	for _, line := range v.Told {
		b.WriteString(r.says(line) + "\n")
	}
	from := before
	if v.At <= from {
		from = max(v.At-1, 0)
	}
	if n := v.At - from; n > shownSteps {
		fmt.Fprintf(&b, "%d steps, and then\n", n-shownSteps)
		from = v.At - shownSteps
	}
	for i := from; i < v.At; i++ {
		b.WriteString(r.stepText(i) + "\n")
	}
	if v.At == 0 {
		b.WriteString("the beginning\n")
	}
	if ahead := len(r.steps) - v.At; ahead > 0 {
		fmt.Fprintf(&b, "%d of %d steps are taken\n", v.At, len(r.steps))
	}
	b.WriteString(r.watchedText(false))
	b.WriteString(r.overText())
	return b.String()
}

// stepText is a step: its number, thread, place, and what it does.
func (r *Run) stepText(i int) string {
	s := &r.steps[i]
	names, places := r.columns()
	text := fmt.Sprintf("%4d  %-*s  %-*s  %s", i+1, names, r.names.Of(s.Thread), places, where(s.Function, s.File, s.Line), r.says(s.Text))
	if s.Outcome > 0 {
		text += fmt.Sprintf(" (outcome %d)", s.Outcome)
	}
	if s.Preempts {
		text += "  [preempts]"
	}
	return text
}

// columns are the widths of threads' names and of places.
func (r *Run) columns() (names, places int) {
	const widest = 24
	for i := range r.view.Lanes {
		l := &r.view.Lanes[i]
		names = max(names, min(cells(r.names.Of(l.Thread)), widest))
		places = max(places, min(cells(where(l.Function, l.File, l.Line)), widest))
	}
	for i := range r.steps {
		s := &r.steps[i]
		places = max(places, min(cells(where(s.Function, s.File, s.Line)), widest))
	}
	return names, places
}

// watchedText tells the watched expressions, or those alone that have changed.
func (r *Run) watchedText(all bool) string {
	var b strings.Builder
	for _, w := range r.view.Watched {
		if all || w.Changed {
			b.WriteString("      " + r.watchedLine(&w) + "\n")
		}
	}
	return b.String()
}

func (r *Run) watchedLine(w *debugger.Watched) string {
	text := r.whose(w.Thread) + w.Text
	if w.Error != "" {
		return result.Printable(text + ": " + r.says(w.Error))
	}
	return result.Printable(text + " = " + w.Value)
}

// overText says that the run can't go on, and what is wrong.
func (r *Run) overText() string {
	switch {
	case r.view.Bug != "":
		return "the run is over, with a bug: " + r.bug() + "\n"
	case r.view.Over != "":
		return "the run is over: " + r.says(r.view.Over) + "\n"
	}
	return ""
}

func (r *Run) threads(string) (string, error) {
	var b strings.Builder
	names, places := r.columns()
	for i := range r.view.Lanes {
		l := &r.view.Lanes[i]
		fmt.Fprintf(&b, "%s %-2s  %-*s  %-*s  %s\n", readiness(l), sign(l), names, r.names.Of(l.Thread), places, where(l.Function, l.File, l.Line), r.about(l))
	}
	b.WriteString(r.overText())
	return b.String(), nil
}

// readiness is a sign for a thread that can go on.
func readiness(l *debugger.Lane) string {
	if l.Ready {
		return "*"
	}
	return " "
}

func (r *Run) lanes(string) (string, error) {
	var b strings.Builder
	_, places := r.columns()
	for i := range r.steps {
		mark := " "
		if i+1 == r.view.At {
			mark = ">"
		}
		s := &r.steps[i]
		fmt.Fprintf(&b, "%s%4d  %s  %-*s  %s\n", mark, i+1, r.laneMarks(s, "*", "."), places, where(s.Function, s.File, s.Line), r.says(s.Text))
	}
	return b.String(), nil
}

// laneMarks are the columns of the threads, with a mark in that of a step's.
func (r *Run) laneMarks(s *debugger.Taken, mark, none string) string {
	marks := make([]string, len(r.view.Lanes))
	for i := range r.view.Lanes {
		marks[i] = none
		if r.view.Lanes[i].Thread == s.Thread {
			marks[i] = mark
		}
	}
	return strings.Join(marks, " ")
}
