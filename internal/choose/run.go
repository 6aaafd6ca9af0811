package choose

import (
	"errors"
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

	// JSON: a command's outcome is printed as a line of JSON, and not in words.
	JSON bool

	steps []debugger.Taken
	kept  int           // of them are as they were at the last line of JSON
	view  debugger.View // without Steps
	names result.Names
}

// do has a move made, and takes in its view.
func (r *Run) do(m debugger.Move) (*debugger.View, error) {
	v, err := r.Chooser.Choose(m)
	if err != nil {
		return nil, errors.New(r.says(err.Error()))
	}
	if v.Kept > len(r.steps) {
		return nil, fmt.Errorf("the engine left out steps")
	}
	r.kept = min(r.kept, v.Kept)
	r.steps = append(r.steps[:v.Kept:v.Kept], v.Steps...)
	r.view = *v
	r.view.Steps = nil
	r.named()
	return v, nil
}

// lane is the thread that a word names: T1 or 1 by its number, 0.1 by its path name; 1b is
// its store buffer. "" is the one that goes on by itself.
func (r *Run) lane(word string) (*debugger.Lane, error) {
	if word == "" {
		return r.following()
	}
	digits, stores := strings.CutSuffix(strings.TrimPrefix(word, "T"), "b")
	n, err := strconv.Atoi(digits)
	for i := range r.view.Lanes {
		l := &r.view.Lanes[i]
		if l.Thread == word || err == nil && l.Number == n && l.Stores == stores && !l.Empties {
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

// named gives the threads the labels that reports have.
func (r *Run) named() {
	var starts []*result.ThreadStart
	for i := range r.view.Lanes {
		if l := &r.view.Lanes[i]; !l.Stores {
			starts = append(starts, &result.ThreadStart{Thread: l.Thread, Function: l.Root})
		}
	}
	result.Label(starts)
	r.names = result.Names{}
	for _, s := range starts {
		r.names[s.Thread] = s.Label
	}
}

// says is a text of landgo's own, with labels for path names.
func (r *Run) says(text string) string { return result.Printable(r.names.In(text)) }

// bug says what is wrong. The guest's own words stay as they are.
func (r *Run) bug() string {
	text := r.view.Bug
	if i := strings.LastIndex(text, ", in "); i >= 0 && strings.HasPrefix(text, "assertion: ") {
		return result.Printable(text[:i]) + r.says(text[i:])
	}
	return r.says(text)
}

// sign is how a user names a thread in a word: "1", or "1b", its store buffer. What finds a buffer
// empty has its path name.
func sign(l *debugger.Lane) string {
	if l.Empties {
		return l.Thread
	}
	if l.Stores {
		return fmt.Sprintf("%db", l.Number)
	}
	return fmt.Sprint(l.Number)
}

// where is a place in the sources, or a function's name.
func where(function, file string, line int) string {
	if file == "" {
		return result.Printable(function)
	}
	return result.Printable(fmt.Sprintf("%s:%d", file[strings.LastIndexByte(file, '/')+1:], line))
}

// about says what a thread does next, or why it can't.
func (r *Run) about(l *debugger.Lane) string {
	text := l.About
	switch {
	case l.Ready && text == "":
		text = "can go on"
	case l.Ready:
		text = "next: " + text
	}
	if l.Outcomes > 1 {
		text += fmt.Sprintf(" (one of %d outcomes)", l.Outcomes)
	}
	return r.says(text)
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
