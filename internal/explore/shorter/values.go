package shorter

import (
	"landgo/internal/trace"
	"landgo/por"
)

// A bug is shown with the smallest values that the guest can be given (landgo_choice), and
// with as few failures of calls (--faults), as its execution can do with. Each in turn is
// made smaller, as long as the bug comes, with no more preemptions.

// Plainer makes the values smaller that steps of the bug's execution have chosen.
func (s *Shortener) Plainer(chosen []por.PathStep) {
	s.shortens = true
	for _, at := range chosen {
		k := Place{at.Thread, at.Begin}
		was := s.choices[k]
		for c := range min(was, smallValues) {
			if s.choices[k] = c; s.comesAgain() {
				was = c
				break
			}
			if s.over {
				return
			}
		}
		s.choices[k] = was
	}
}

// smallValues is how many values are tried in the place of one.
const smallValues = 8

// comesAgain tries the execution with the present values, and takes it for the finding's
// if the bug comes with no more preemptions.
func (s *Shortener) comesAgain() bool {
	count := s.try(nil)
	if s.over || s.coarse || s.failure == nil || count > s.Bug.Preemptions || s.failure.Kind != s.Bug.Failure.Kind {
		return false
	}
	key := s.Key(s.failure)
	if s.OneKey && key != s.Bug.Key {
		return false
	}
	f := &s.Bug
	f.Failure, f.Key, f.Preemptions = *s.failure, key, count
	f.Path = append(f.Path[:0], s.path...)
	choices := map[Place]trace.Choice{}
	for k, c := range s.choices {
		choices[k] = c
	}
	s.divide()
	for k, c := range choices {
		if _, ok := s.choices[k]; !ok && c > 0 {
			s.choices[k] = c // of a step that isn't there now
		}
	}
	return true
}
