package choose

import (
	"fmt"
	"strconv"
	"strings"

	"landgo/internal/debugger"
	"landgo/internal/result"
)

// Run is a run in the making, as it was told.
type Run struct {
	Chooser debugger.Chooser
	// Guest is its name for the user.
	Guest string
	// Save writes a run to a file, and says what can be done with that.
	Save func(saved *debugger.Saved, path string) (told string, err error)
	// File is where a run is saved if no name is given.
	File string
	// Source is the text of a line, "" if it isn't known.
	Source func(file string, line int) string

	steps []debugger.Taken
	view  debugger.View // without Steps
}

// do has a move made, and takes in what is told of it.
func (r *Run) do(m debugger.Move) (*debugger.View, error) {
	v, err := r.Chooser.Choose(m)
	if err != nil {
		return nil, err
	}
	if v.Kept > len(r.steps) {
		return nil, fmt.Errorf("the engine left out steps")
	}
	r.steps = append(r.steps[:v.Kept:v.Kept], v.Steps...)
	r.view = *v
	r.view.Steps = nil
	return v, nil
}

// lane is the thread of a number or a path name: 2 is the second thread, 0.1 the first that
// the first has made, and 0 the first of all. "" is the only one that can go on, or the one
// that went last.
func (r *Run) lane(word string) (*debugger.Lane, error) {
	if word == "" {
		return r.following()
	}
	n, err := strconv.Atoi(word)
	for i := range r.view.Lanes {
		l := &r.view.Lanes[i]
		if l.Thread == word || err == nil && n > 0 && l.Number == n {
			return l, nil
		}
	}
	return nil, fmt.Errorf("there is no thread %q: threads lists them", word)
}

// following is the thread that goes on by itself: the one of the latest step, if it can, or
// the next that can.
func (r *Run) following() (*debugger.Lane, error) {
	lanes, last := r.view.Lanes, -1
	if r.view.At > 0 {
		for i := range lanes {
			if lanes[i].Thread == r.steps[r.view.At-1].Thread {
				last = i
			}
		}
	}
	for n := range lanes {
		if l := &lanes[(max(last, 0)+n)%len(lanes)]; l.Ready {
			return l, nil
		}
	}
	return nil, fmt.Errorf("no thread can go on here")
}

// label is a thread's name, with what it runs.
func label(l *debugger.Lane) string {
	return result.Printable(strings.TrimSpace(l.Thread + " " + l.Root))
}

// where is a place in the sources, or a function's name.
func where(function, file string, line int) string {
	if file == "" {
		return result.Printable(function)
	}
	return result.Printable(fmt.Sprintf("%s:%d", file[strings.LastIndexByte(file, '/')+1:], line))
}

// about says what a thread does next, or why it can't.
func about(l *debugger.Lane) string {
	text := l.About
	switch {
	case !l.Live:
		return "isn't there yet"
	case l.Ready && text == "":
		text = "can go on"
	case l.Ready:
		text = "next: " + text
	}
	if l.Outcomes > 1 {
		text += fmt.Sprintf(" (one of %d outcomes)", l.Outcomes)
	}
	return result.Printable(text)
}

// turn is the position at which the next turn of another thread begins, or, backwards, the
// present one or the one before it.
func (r *Run) turn(back bool) int {
	at := r.view.At
	if back {
		for at--; at > 0 && r.steps[at].Thread == r.steps[at-1].Thread; at-- {
		}
		return max(at, 0)
	}
	for at++; at < len(r.steps) && r.steps[at].Thread == r.steps[at-1].Thread; at++ {
	}
	return min(at, len(r.steps))
}
