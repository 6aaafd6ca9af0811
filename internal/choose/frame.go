package choose

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/debugger"
	"landgo/internal/result"
)

// maxTold is how many lines an answer has beside the run; a longer one has a page.
const maxTold = 3

// The screen's part beside the steps: a share of its height at most.
const leastListed = 4

// Frame is the screen: as many lines as it has rows, none wider than it.
func (m *Model) Frame() []string {
	var lines []string
	if m.page != nil {
		lines = m.pageFrame()
	} else {
		lines = m.runFrame()
	}
	for len(lines) < m.height {
		lines = append(lines, "")
	}
	return lines[:max(m.height, 0)]
}

func (m *Model) pageFrame() []string {
	rows := max(m.height-1, 1)
	var lines []string
	for _, line := range m.page[m.top:min(m.top+rows, len(m.page))] {
		lines = append(lines, m.style.fit(line, m.width))
	}
	for len(lines) < rows {
		lines = append(lines, "")
	}
	return append(lines, m.style.paint(inverse, m.style.fit("any key goes back; j k and space turn the page", m.width)))
}

// runFrame is the run, the threads, the watched expressions, the answer and the keys.
func (m *Model) runFrame() []string {
	below := m.below()
	lines := []string{m.title(), m.heads()}
	lines = append(lines, m.list(max(m.height-len(lines)-len(below), 1))...)
	return append(lines, below...)
}

// listed is how many steps are shown at once.
func (m *Model) listed() int { return max(m.height-2-len(m.below()), 1) }

// title is the first line: where the run stands, and whether it is over.
func (m *Model) title() string {
	v := &m.run.view
	text := fmt.Sprintf("landgo explore %s  step %d of %d", result.Printable(m.run.Guest), v.At, len(m.run.steps))
	look := inverse
	switch {
	case v.Bug != "":
		text, look = text+"  a bug", inverse+";"+red
	case v.Over != "":
		text += "  the end"
	}
	return m.style.paint(look, m.style.fit(text, m.width))
}

// shownLanes is how many threads have columns: as many as half the width has room for.
func (m *Model) shownLanes() int {
	return max(min(len(m.run.view.Lanes), (m.width/2-6)/2), 0)
}

// heads are the heads of the columns.
func (m *Model) heads() string {
	text := "       "
	for i := range m.shownLanes() {
		text += fmt.Sprintf("%-2.2s", sign(&m.run.view.Lanes[i]))
	}
	_, places := m.run.columns()
	return m.style.paint(faint, m.style.fit(text+" "+pad("where", places)+"  what", m.width))
}

// list is the steps around the position, which is in the middle if it can be.
func (m *Model) list(rows int) []string {
	all, first := len(m.run.steps)+1, m.first(rows) // the beginning has a row
	var lines []string
	for i := first; i < min(first+rows, all); i++ {
		lines = append(lines, m.row(i))
	}
	for len(lines) < rows {
		lines = append(lines, "")
	}
	return lines
}

// first is the first step in the list.
func (m *Model) first(rows int) int {
	return max(min(m.run.view.At-rows*2/3, len(m.run.steps)+1-rows), 0)
}

// row is the i-th step, from 1; 0 is the beginning.
func (m *Model) row(i int) string {
	v, style := &m.run.view, m.style
	taken, ahead, none, _, _ := style.marks()
	cursor, mark := "  ", taken
	if i == v.At {
		cursor = "> "
	}
	if i > v.At {
		mark = ahead
	}
	if i == 0 {
		return style.paint(atLook(i, v.At), style.fit(fmt.Sprintf("%s%4d ", cursor, 0)+strings.Repeat(none+" ", m.shownLanes())+" the beginning", m.width))
	}
	s := &m.run.steps[i-1]
	line := style.paint(atLook(i, v.At), fmt.Sprintf("%s%4d ", cursor, i))
	used := 7
	name := m.run.names.Of(s.Thread) + "  "
	for k := range m.shownLanes() {
		l := &v.Lanes[k]
		shown, look := none, faint
		if l.Thread == s.Thread {
			shown, look, name = mark, laneColors[k%len(laneColors)], ""
		}
		line += style.paint(look, shown) + " "
		used += 2
	}
	_, places := m.run.columns()
	text := " " + name + pad(where(s.Function, s.File, s.Line), places) + "  " + m.run.says(s.Text)
	if s.Preempts {
		text += " [preempts]"
	}
	if m.run.Source != nil {
		text = m.withSource(text, m.run.Source(s.File, s.Line), m.width-used)
	}
	return line + style.paint(atLook(i, v.At), style.fit(text, m.width-used))
}

// withSource has a line of the source behind a text, where there is room for some of it.
func (m *Model) withSource(text, source string, width int) string {
	const column, least, gap = 46, 8, 2
	text = m.style.fit(text, max(cells(text), min(column, width)))
	room := width - cells(text) - gap
	if n := cells(source); source == "" || room < min(n, least) {
		return text
	}
	return text + "  " + m.style.fit(source, min(room, cells(source)))
}

// atLook is the look of a step's text: what lies ahead is faint.
func atLook(i, at int) string {
	switch {
	case i == at:
		return bold
	case i > at:
		return faint
	}
	return ""
}

// below lists the lines under the steps.
func (m *Model) below() []string {
	style := m.style
	_, _, _, _, rule := style.marks()
	room := max(m.height-2-leastListed-1-1, 0) // without the steps, a rule and the keys
	told := m.toldLines()
	lanes := m.laneLines(m.laneRoom(room, len(told)))
	watched := m.watchedLines(max(room-len(told)-len(lanes), 0))
	lines := []string{style.paint(faint, strings.Repeat(rule, max(m.width, 0)))}
	lines = append(append(append(lines, lanes...), watched...), told...)
	return append(lines, m.foot())
}

// laneRoom is how many lines threads have, of a room that an answer takes some of.
func (m *Model) laneRoom(room, told int) int {
	return min(max(room-told, 1), max(m.height/3, 2))
}

// laneLines are the threads, those that can go on first if not all have room.
func (m *Model) laneLines(room int) (lines []string) {
	order := m.laneOrder(room)
	names, places := m.run.columns()
	for i, l := range order {
		if i+1 == room && len(order) > room {
			lines = append(lines, m.style.paint(faint, m.style.fit(fmt.Sprintf("  and %d more: :threads lists all", len(order)-i), m.width)))
			break
		}
		look := faint
		if l.Ready {
			look = laneColors[l.Number%len(laneColors)]
		}
		text := fmt.Sprintf("%s %-2s  %s  %s  %s", readiness(l), sign(l), pad(m.run.names.Of(l.Thread), names), pad(where(l.Function, l.File, l.Line), places), m.run.about(l))
		lines = append(lines, m.style.paint(look, m.style.fit(text, m.width)))
	}
	return lines
}

// laneOrder are the threads in the order of their lines.
func (m *Model) laneOrder(room int) []*debugger.Lane {
	all := m.run.view.Lanes
	order := make([]*debugger.Lane, 0, len(all))
	for i := range all {
		if len(all) <= room || all[i].Ready {
			order = append(order, &all[i])
		}
	}
	for i := range all {
		if len(all) > room && !all[i].Ready {
			order = append(order, &all[i])
		}
	}
	return order
}

// watchedLines are the watched expressions; one that has changed is marked.
func (m *Model) watchedLines(room int) (lines []string) {
	for i := range m.run.view.Watched {
		if i == room {
			break
		}
		w := &m.run.view.Watched[i]
		mark, look := "   ", ""
		if w.Changed {
			mark, look = " ! ", bold+";"+yellow
		}
		lines = append(lines, m.style.paint(look, m.style.fit(mark+m.run.watchedLine(w), m.width)))
	}
	return lines
}

// toldLines are why the run is over, and the latest answer.
func (m *Model) toldLines() (lines []string) {
	if m.prompt != nil {
		return []string{m.style.fit(m.prompt.ask+": "+string(m.prompt.text)+"_", m.width)}
	}
	add := func(look, text string) {
		for _, line := range wrapped(result.Printable(text), m.width) {
			if len(lines) < maxTold {
				lines = append(lines, m.style.paint(look, m.style.fit(line, m.width)))
			}
		}
	}
	for _, line := range m.told {
		if line != "" {
			add(map[bool]string{true: red}[m.failed], line)
		}
	}
	if len(lines) == 0 {
		add(bold, strings.TrimSuffix(m.run.overText(), "\n"))
	}
	return lines
}

// wrapped is a text in lines of a width, cut between words.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && cells(line)+1+cells(word) > width {
			lines, line = append(lines, line), "  "+word
			continue
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Waiting is a frame that was shown, with the word that work is under way.
func (m *Model) Waiting(shown []string) []string {
	lines := slices.Clone(shown)
	if n := len(lines); n > 0 {
		lines[n-1] = m.style.paint(inverse, m.style.fit("running; ctrl-c ends it", m.width))
	}
	return lines
}

// foot lists the keys that there is room for.
func (m *Model) foot() string {
	text := "0-9 step  j k go  u undo  f what-if  w watch  s save  ? keys  q quit"
	if m.prompt != nil {
		text = "enter: done  esc: never mind"
	}
	return m.style.paint(inverse, m.style.fit(text, m.width))
}
