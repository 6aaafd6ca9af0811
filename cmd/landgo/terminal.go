package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"landgo/internal/report"
	"landgo/internal/sources"
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

// style is how text is to look where a writer leads to.
// Sources are read from the folders given.
func style(w io.Writer, from sources.Folders, verbose bool) report.Style {
	width, terminal := terminalWidth(w)
	dir, _ := os.Getwd()
	return report.Style{
		Width:  width,
		Color:  terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		Dir:    dir,
		Source: from.Read,

		Verbose: verbose,
	}
}
