package grade

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Live shows how far a class is, on one line of a terminal.
type Live struct {
	w     io.Writer
	mu    sync.Mutex
	phase string
	since time.Time // of the phase
	drawn time.Time
}

// NewLive shows it at w; nil: nowhere.
func NewLive(w io.Writer) *Live { return &Live{w: w} }

// Show redraws the line, a few times a second at most.
func (l *Live) Show(p Progress) {
	if l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if p.Phase != l.phase {
		l.phase, l.since, l.drawn = p.Phase, now, time.Time{}
	}
	if p.Done < p.All && now.Sub(l.drawn) < 100*time.Millisecond {
		return
	}
	l.drawn = now
	fmt.Fprintf(l.w, "\r\x1b[K%s", line(p, now.Sub(l.since)))
}

// line is how far a phase is, and how long it may still take.
func line(p Progress, took time.Duration) string {
	text := fmt.Sprintf("landgo: %s: %d of %d", p.Phase, p.Done, p.All)
	if p.Kept > 0 {
		text += fmt.Sprintf(" (%d known)", p.Kept)
	}
	if fresh := p.Done - p.Kept; fresh > 0 && p.Done < p.All {
		left := took / time.Duration(fresh) * time.Duration(p.All-p.Done)
		text += fmt.Sprintf(", about %v left", max(left.Round(time.Second), time.Second))
	}
	return text
}

// Close takes the line away.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w != nil && l.phase != "" {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}
