package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"landgo/internal/report"
	"landgo/internal/result"
)

// An early report shows a bug while landgo looks for a shorter story, or for other bugs.
// It is for a user at the terminal, and goes to standard error. It shows what is known
// half a second after the first bug, if the run isn't over by then. On a terminal it is
// the bug's report, and each shorter one replaces the one before. The final report
// replaces that. Elsewhere it is a line.
type early struct {
	w     io.Writer
	style report.Style
	rows  int // of the terminal, 0: w isn't one
	// final: the final report goes to a terminal too, and replaces what is shown.
	final bool

	mu      sync.Mutex
	display *report.Progress // the line of progress below it
	timer   *time.Timer
	latest  *result.Result
	shown   *result.Result
	drawn   int    // rows
	line    string // the latest, elsewhere
	over    bool
}

// soon is how long a run has to tell its bug itself.
var soon = 500 * time.Millisecond

// newEarly makes the early that shows a run's bugs.
func (a *app) newEarly(style report.Style, display *report.Progress) *early {
	e := &early{w: a.stderr, style: style, display: display}
	if f, ok := a.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, height, err := term.GetSize(int(f.Fd())); err == nil {
			e.rows, e.style.Width = height, width
		}
	}
	_, e.final = terminalWidth(a.stdout)
	e.style.Color = e.style.Color && e.rows > 0
	return e
}

// progress shows how far the run is.
func (e *early) progress(p result.Progress) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over {
		e.display.Progress(p)
	}
}

// take hears what was found so far.
func (e *early) take(r *result.Result) {
	if e == nil || len(r.Bugs) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.latest = r
	switch {
	case e.over:
	case e.timer == nil:
		e.timer = time.AfterFunc(soon, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.show()
		})
	case e.shown != nil:
		e.show()
	}
}

// show shows the latest result, if there is more in it than in what is shown.
func (e *early) show() {
	if e.over || e.shown != nil && !better(e.latest, e.shown) {
		return
	}
	news := "found"
	if e.shown != nil {
		news = change(e.latest, e.shown)
	}
	e.display.Close()
	if e.rows == 0 {
		e.shown = e.latest
		b := first(e.latest)
		if line := fmt.Sprintf("landgo: %s: %s: %s (%s); landgo goes on\n", news, b.Kind, result.Printable(b.Says()), preemptions(b)); line != e.line {
			e.line = line
			io.WriteString(e.w, line)
		}
		return
	}
	e.erase()
	e.shown = e.latest
	var text bytes.Buffer
	report.Found(&text, e.latest, e.style)
	fmt.Fprintf(&text, "landgo: %s; it goes on\n", news)
	e.drawn = rowsOf(text.String(), e.style.Width)
	e.w.Write(text.Bytes())
}

// erase takes away what is shown, if it is all on the screen.
func (e *early) erase() {
	if e.drawn > 0 && e.drawn < e.rows {
		fmt.Fprintf(e.w, "\x1b[%dA\r\x1b[J", e.drawn)
	}
	e.drawn = 0
}

// end ends it, for the final report comes now.
func (e *early) end() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return
	}
	e.over = true
	if e.timer != nil {
		e.timer.Stop()
	}
	e.display.Close()
	if e.final {
		e.erase()
	}
}

// better reports whether a result has another bug, a shorter story, or one that was
// not told yet.
func better(now, before *result.Result) bool {
	a, b := first(now), first(before)
	return len(now.Bugs) > len(before.Bugs) || a.Preemptions < b.Preemptions || b.Schedule == "" && a.Schedule != "" || len(b.Steps) == 0 && len(a.Steps) > 0
}

// change says in a few words what is new.
func change(now, before *result.Result) string {
	a, b := first(now), first(before)
	switch {
	case len(now.Bugs) > len(before.Bugs):
		return "another bug"
	case a.Preemptions < b.Preemptions:
		return fmt.Sprintf("shorter one: %d -> %s", b.Preemptions, preemptions(a))
	}
	return "found"
}

// first is the bug of a result with the fewest preemptions.
func first(r *result.Result) *result.Bug {
	best := r.Bugs[0]
	for _, b := range r.Bugs[1:] {
		if b.Preemptions < best.Preemptions {
			best = b
		}
	}
	return best
}

func preemptions(b *result.Bug) string {
	if b.Preemptions == 1 {
		return "1 preemption"
	}
	return fmt.Sprintf("%d preemptions", b.Preemptions)
}

// rowsOf is how many rows of a terminal a text takes.
func rowsOf(text string, width int) (n int) {
	for _, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue
		}
		n += 1 + max(0, utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))-1)/max(width, 1)
	}
	return n
}
