package session

import (
	"fmt"

	"landgo/internal/trace"
	"landgo/por"
)

// CountPreemptions puts into a path which of its steps are preemptions, and leaves
// the guest at its end.
func (s *Session) CountPreemptions(path []por.PathStep) (n int, err error) {
	s.Guest.Rewind(s.Root)
	var threads []trace.Thread
	for i := range path {
		p := &path[i]
		threads = s.Guest.Threads(threads[:0])
		if p.Preemption = s.preempts(threads, path[:i], p.Thread); p.Preemption {
			n++
		}
		if _, err := s.Take(p); err != nil {
			return n, fmt.Errorf("an execution couldn't be run again: %w", err)
		}
	}
	return n, nil
}

// Complete takes a race's path to the end of the instruction that its last step is
// within. A replay, in which the memory isn't known to be shared before that
// instruction, couldn't stop there.
func (s *Session) Complete(path []por.PathStep) ([]por.PathStep, error) {
	t := path[len(path)-1].Thread
	for s.Guest.Position(t).Part != 0 {
		tr, err := s.Guest.Step(t, 0)
		if err != nil {
			return path, fmt.Errorf("an execution couldn't be run again: %w", err)
		}
		path = append(path, por.PathStep{Thread: t, Begin: tr.Begin, Last: tr.Last})
	}
	return path, nil
}
