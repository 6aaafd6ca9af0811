package report

import (
	"fmt"
	"io"
	"time"

	"landgo/result"
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
	drawn   bool          // there is a line to overwrite
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
		if room := p.style.Width - 1; len(text) > room && room > 0 {
			text = text[:room]
		}
		fmt.Fprintf(p.w, "\r\x1b[K%s", text)
		p.drawn = true
		p.next = r.Elapsed + terminalEvery
		return
	}
	fmt.Fprintln(p.w, text)
	p.next = r.Elapsed + plainEvery
}

// Close ends the display and leaves no half a line behind.
func (p *Progress) Close() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// advise says once, when the search will take long and nothing would end it,
// what would make it shorter.
func (p *Progress) advise(r result.Progress) {
	if p.advised || p.style.Limited || r.Elapsed < soon || r.Elapsed+r.Left < long {
		return
	}
	p.advised = true
	p.Close()
	fmt.Fprintf(p.w, "landgo: this will take about %s; shorter: --pp lock,unlock, --within FUNCTION, fewer threads or rounds in the test, or a limit with --time\n", seconds((r.Elapsed + r.Left).Seconds()))
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
	if r.Left > 0 {
		text += ", about " + seconds(r.Left.Seconds()) + " left"
	}
	return text
}
