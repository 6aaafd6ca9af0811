package choose

import "fmt"

// The sequences by which a terminal begins to send clicks and turns of the wheel, by rows
// and columns of any number, and stops (xterm's modes 1000 and 1006). Until then a user
// selects text with the mouse; a terminal that is asked leaves that to the mouse with the
// shift key.
const (
	mouseOn  = "\x1b[?1000h\x1b[?1006h"
	mouseOff = "\x1b[?1006l\x1b[?1000l"
)

// Buttons of the mouse, as xterm numbers them.
const (
	buttonLeft = 0
	wheelUp    = 64
	wheelDown  = 65
)

// mouseKey is the key that a click is: "mouse 0 12 5", with its button, column and row. ""
// is a button that was let go.
func mouseKey(sequence string) Key {
	var button, column, row int
	var end byte
	if n, err := fmt.Sscanf(sequence, "\x1b[<%d;%d;%d%c", &button, &column, &row, &end); n < 4 || err != nil || end != 'M' {
		return ""
	}
	return Key(fmt.Sprintf("mouse %d %d %d", button, column, row))
}

// clicked takes a click in: on a step it goes there, on a thread that takes its next step.
// The wheel goes along the steps.
func (m *Model) clicked(k Key) Work {
	var button, column, row int
	if n, err := fmt.Sscanf(string(k), "mouse %d %d %d", &button, &column, &row); n < 3 || err != nil {
		return nil
	}
	switch {
	case m.page != nil && button == wheelUp:
		m.turnPage("up")
	case m.page != nil && button == wheelDown:
		m.turnPage("down")
	case m.page != nil || m.prompt != nil || button > wheelDown:
	case button == wheelUp:
		return m.press("k")
	case button == wheelDown:
		return m.press("j")
	case button == buttonLeft:
		return m.pointed(row - 1)
	}
	return nil
}

// pointed is the work of a click on a line of the frame, from 0.
func (m *Model) pointed(line int) Work {
	const above = 2 // the title and the columns' heads
	rows := m.listed()
	if line -= above; line >= 0 && line < rows {
		if i := m.first(rows) + line; i <= len(m.run.steps) {
			return m.line(fmt.Sprintf("go %d", i))
		}
		return nil
	}
	line -= rows + 1 // the rule
	room := m.laneRoom(max(m.height-above-leastListed-1-1, 0), len(m.toldLines()))
	order := m.laneOrder(room)
	if line < 0 || line >= min(room, len(order)) || line+1 == room && len(order) > room {
		return nil
	}
	m.told, m.failed = nil, false
	if l := order[line]; !l.Stores && m.digit == "" {
		return m.number(l.Number)
	}
	return m.line("step " + order[line].Thread)
}
