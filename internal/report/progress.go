package report

import (
	"fmt"
	"io"
	"time"

	"landgo/internal/result"
)

// How often progress is shown, and when a search counts as long.
const (
	terminalEvery = 200 * time.Millisecond
	plainEvery    = 5 * time.Second
	long          = 10 * time.Minute
	// soon is how long the estimator gets before its word is passed on.
	soon = 5 * time.Second
)

// ProgressStyle says where progress goes.
type ProgressStyle struct {
	// Terminal: one line, written again and again; else a line every few
	// seconds.
	Terminal bool
	Width    int
	// Limited: the user set a time limit, and so needs no advice on the time.
	Limited bool
}

// Progress shows how far a search is. The times are those that the search
// reports, so that the same reports give the same bytes.
type Progress struct {
	w       io.Writer
	style   ProgressStyle
	next    time.Duration // when to show again
	drawn   int           // lines to overwrite
	advised bool
}

// NewProgress is a progress display on w, which may be io.Discard.
func NewProgress(w io.Writer, s ProgressStyle) *Progress {
	p := &Progress{w: w, style: s}
	if !s.Terminal {
		p.next = plainEvery // a short run says nothing
	}
	return p
}

// Progress shows a report of the search's, if it is time to.
func (p *Progress) Progress(r result.Progress) {
	p.advise(r)
	if r.Elapsed < p.next {
		return
	}
	text := "landgo: " + progressText(r)
	if p.style.Terminal {
		p.draw(append([]string{text}, jobRows(r)...))
		p.next = r.Elapsed + terminalEvery
		return
	}
	if len(r.Jobs) > 0 {
		text += ", at " + jobName(r.Jobs[0].PP)
	}
	fmt.Fprintln(p.w, clean(text))
	p.next = r.Elapsed + plainEvery
}

// draw puts lines over those drawn before.
func (p *Progress) draw(lines []string) {
	p.up()
	for i, l := range lines {
		l = clean(l) // names of the guest's are in it
		if room := p.style.Width - 1; len(l) > room && room > 0 {
			l = l[:room]
		}
		if i > 0 {
			fmt.Fprint(p.w, "\n")
		}
		fmt.Fprintf(p.w, "\r\x1b[K%s", l)
	}
	if len(lines) < p.drawn {
		fmt.Fprint(p.w, "\x1b[J")
	}
	p.drawn = len(lines)
}

// up goes to the first of the lines drawn.
func (p *Progress) up() {
	if p.drawn > 1 {
		fmt.Fprintf(p.w, "\x1b[%dA", p.drawn-1)
	}
}

// maxJobRows is how many spaces are shown while a run is going on.
const maxJobRows = 8

// jobRows is the table of the spaces under way, a line each.
func jobRows(r result.Progress) (rows []string) {
	for i, j := range r.Jobs {
		if i == maxJobRows {
			break
		}
		state := "suspended"
		if j.Running {
			state = "running"
		}
		explored, left := "", ""
		if j.Explored > 0 {
			explored = percent(j.Explored)
		}
		if j.Left > 0 {
			left = seconds(j.Left.Seconds()) + " left"
		}
		rows = append(rows, fmt.Sprintf("  %-9s %10s  %14s  %12s  %s", state, group(j.Executions), explored, left, jobName(j.PP)))
	}
	if len(r.Jobs) > 0 {
		rows = append(rows, fmt.Sprintf("  %s verified, %d not begun", count(uint64(r.Verified), "set"), r.Waiting))
	}
	return rows
}

// Close ends the display and leaves no half a line behind.
func (p *Progress) Close() {
	if p.drawn > 0 {
		p.up()
		fmt.Fprint(p.w, "\r\x1b[K")
		if p.drawn > 1 {
			fmt.Fprint(p.w, "\x1b[J")
		}
		p.drawn = 0
	}
}

// advise suggests once how to make a search shorter, if it will take long and
// no limit would end it.
func (p *Progress) advise(r result.Progress) {
	if p.advised || p.style.Limited || r.Elapsed < soon || r.Elapsed+r.Left < long {
		return
	}
	p.advised = true
	p.Close()
	measure := "about"
	if r.Rises {
		measure = "more than"
	}
	fmt.Fprintf(p.w, "landgo: this will take %s %s; shorter: --pp lock,unlock, --within FUNCTION, fewer threads or rounds in the test, or a limit with --time\n", measure, seconds((r.Elapsed + r.Left).Seconds()))
}

func progressText(r result.Progress) string {
	text := fmt.Sprintf("%s: %s", r.Phase, count(r.Executions, "execution"))
	if s := r.Elapsed.Seconds(); s > 0 {
		text += fmt.Sprintf(", %s/s", group(uint64(float64(r.Executions)/s)))
	}
	if r.Bugs > 0 {
		text += ", " + count(uint64(r.Bugs), "bug")
	}
	if r.Explored > 0 {
		text += ", " + percent(r.Explored) + " explored"
	}
	switch left := seconds(r.Left.Seconds()); {
	case r.Left > 0 && r.Rises:
		text += ", " + left + " or more left"
	case r.Left > 0:
		text += ", about " + left + " left"
	}
	return text
}
