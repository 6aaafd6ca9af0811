package bare

import (
	"bytes"

	"landgo/emu"
)

// screen is the text of the screen's memory, without blanks at the ends of
// lines and of the whole.
func (b *Board) screen() (text []byte) {
	cells := b.mem.Bytes(screenAt, 2*screenCells)
	for at := 0; at < len(cells); at += 2 * 80 {
		var line []byte
		for i := at; i < at+2*80; i += 2 {
			c := cells[i]
			if c < ' ' || c > '~' {
				c = ' '
			}
			line = append(line, c)
		}
		text = append(append(text, bytes.TrimRight(line, " ")...), '\n')
	}
	if text = bytes.TrimRight(text, "\n"); len(text) > 0 {
		text = append(text, '\n')
	}
	return text
}

// Screen is its memory.
func (b *Board) Screen() emu.Range { return emu.Range{Lo: screenAt, Hi: screenAt + 2*screenCells} }
