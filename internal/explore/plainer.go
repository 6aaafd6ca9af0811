package explore

import (
	"slices"

	"landgo/internal/explore/story"
	"landgo/internal/trace"
)

// A bug is shown with the smallest values that the guest can be given (landgo_choice), and
// with as few failures of calls (--faults), as its execution can do with. Each in turn is
// made smaller, as long as the bug comes, with no more preemptions.

// chooses reports whether the guest is given values, or its calls fail.
func (h *hunt) chooses() bool {
	return h.Config.Faults != "" || slices.Contains(h.Guest.Seen().Calls(), "landgo_choice")
}

// plainer makes the values of a finding's execution smaller.
func (h *hunt) plainer(f *finding, run *counted) error {
	if !h.chooses() || !f.own() {
		return nil
	}
	st, err := story.Tell(h.Session, f.path)
	if err != nil {
		return err
	}
	s := &shortener{hunt: h, want: f, run: run, shortens: true}
	s.divide()
	h.stopsWithin(h.Session, true)
	defer h.stopsWithin(h.Session, false)
	for _, at := range st.Chosen() {
		k := choiceAt{at.Thread, at.Begin}
		was := s.choices[k]
		for c := range min(was, smallValues) {
			if s.choices[k] = c; s.comesAgain() {
				was = c
				break
			}
			if s.over {
				return nil
			}
		}
		s.choices[k] = was
	}
	return nil
}

// smallValues is how many values are tried in the place of one.
const smallValues = 8

// comesAgain tries the execution with the present values, and takes it for the finding's
// if the bug comes with no more preemptions.
func (s *shortener) comesAgain() bool {
	count := s.try(nil)
	if s.over || s.coarse || s.failure == nil || count > s.want.preemptions || s.failure.Kind != s.want.failure.Kind {
		return false
	}
	key := s.key(s.failure)
	if s.Config.KeepGoing && key != s.want.key {
		return false
	}
	f := s.want
	f.failure, f.key, f.preemptions = *s.failure, key, count
	f.path = append(f.path[:0], s.path...)
	choices := map[choiceAt]trace.Choice{}
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
