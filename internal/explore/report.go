package explore

import (
	"fmt"
	"sort"

	"landgo/internal/explore/races"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/por"
)

// report finds the least interleaving of each bug and tells its story.
func (h *hunt) report() error {
	h.tellOutcomes()
	for _, f := range h.found {
		err := h.as(f, func() (err error) {
			return h.outline(f)
		})
		if err != nil {
			return err
		}
		h.publish()
	}
	known := h.Epoch()
	// The step that made the guest invalid may have made others finer, so that
	// the paths don't lead where they did.
	if h.watched != nil && h.result.Verdict != result.Invalid {
		h.result.Races, h.result.RacesRecycled = nil, 0 // those of lookOut
		run := h.counting(h.refiningSteps())
		goes := func(path []por.PathStep) bool { return !h.stop() && run.goes(path) }
		if err := races.List(h.Session, h.watched, h.result, goes); err != nil {
			return err
		}
		races.Unexamined(h.Session, h.watched, h.result)
		h.finer = h.finer || h.Epoch() != known
	}
	for _, f := range h.found {
		if err := h.as(f, func() error { return h.minimise(f) }); err != nil {
			f.strayed = true // its schedule is unchanged
		}
	}
	sort.SliceStable(h.found, func(i, j int) bool { return h.found[i].preemptions < h.found[j].preemptions })
	preempted := map[uint64]bool{}
	for _, f := range h.found {
		err := h.as(f, func() error {
			if !f.strayed && h.write(f, preempted) == nil {
				return nil
			}
			return h.writeAfresh(f)
		})
		if err != nil {
			return err
		}
	}
	if h.watched != nil {
		h.watched.Classify(h.result, preempted)
	}
	if len(h.result.Ignored) > 0 {
		leaveOpen(h.result.Races) // an ignored bug may be their symptom
	}
	if len(h.result.Bugs) > 0 {
		h.result.Bug = h.result.Bugs[0]
	}
	return nil
}

// write puts a bug's story into the result, and the instructions before which a
// thread is preempted in it into preempted.
func (h *hunt) write(f *finding, preempted map[uint64]bool) error {
	if h.finer {
		if err := h.refine(f); err != nil {
			return err
		}
	}
	st, err := h.tellAgain(f)
	if err != nil {
		return err
	}
	st.PreemptedAt(preempted, &f.failure)
	b, err := st.Bug(&f.failure, f.preemptions, f.minimal)
	if err != nil {
		return err
	}
	if !b.BeforeThreads {
		h.contrast(f, st, b)
	}
	h.tells(f, b)
	return nil
}

// tellAgain tells a bug's execution. A search that came after the bug's may have ended what had several
// accesses be one step: then the execution is run by its schedule.
func (h *hunt) tellAgain(f *finding) (*story.Story, error) {
	if st, err := story.Tell(h.Session, f.path); err == nil {
		return st, nil
	}
	if err := h.refine(f); err != nil {
		return nil, err
	}
	return story.Tell(h.Session, f.path)
}

// tells puts a bug's story into the result.
func (h *hunt) tells(f *finding, b *result.Bug) {
	if f.config != nil {
		b.PP = f.config.PointList()
	}
	f.told = b
	h.result.Bugs = append(h.result.Bugs, b)
	h.publish()
}

// writeAfresh is write for a bug whose path was led astray by what was learned since. It
// follows the schedule on another guest, which knows nothing yet, as a replay does.
func (h *hunt) writeAfresh(f *finding) error {
	s, err := h.Another()
	if s != nil {
		defer s.Close()
	}
	if err != nil {
		return err
	}
	s.Following = true
	path, failure, err := s.FollowAll(f.schedule)
	if err != nil {
		return fmt.Errorf("an execution couldn't be run again: %w", err)
	}
	if f.own() && (failure == nil || failure.Kind != f.failure.Kind || failure.Message != f.failure.Message) {
		return fmt.Errorf("an execution went another way when it was run again on another guest")
	}
	if f.own() {
		f.failure = *failure
	}
	f.preemptions, f.minimal = 0, result.BestFound
	for i := range path {
		if path[i].Preemption {
			f.preemptions++
		}
	}
	st, err := story.Tell(s, path)
	if err != nil {
		return err
	}
	b, err := st.Bug(&f.failure, f.preemptions, f.minimal)
	if err != nil {
		return err
	}
	h.tells(f, b)
	return nil
}
