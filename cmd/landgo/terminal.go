package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// plainWidth is the width of text that doesn't go to a terminal.
const plainWidth = 100

// terminalWidth is the number of columns where a writer leads to, and whether
// that is a terminal.
func terminalWidth(w io.Writer) (int, bool) {
	if s, ok := w.(*sink); ok {
		w = s.Writer
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return plainWidth, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return plainWidth, true
	}
	return width, true
}
