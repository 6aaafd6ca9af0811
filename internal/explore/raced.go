package explore

import (
	"slices"

	"landgo/internal/explore/races"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/por"
	"landgo/race"
)

// With --fail-on race, a data race is a bug when both orders were run, each
// with the two accesses as neighbours (race.Adjacent). Happens-before isn't
// enough for that: a program may order its accesses by flags, turns or a lock of its
// own, which happens-before doesn't know. A false alarm is worse than a race that
// another execution has to show.
//
// The bug's execution ends with the step of the later access. A replay runs that one order and
// looks whether the two are neighbours in it. Then the thread that came second could have gone
// first, because it stood before its access.

// raced reports whether the search under way has met a race that is a bug.
func (h *hunt) raced() bool { return h.watched != nil && h.watched.Raced }

// takeRaces makes findings of the races that the search under way has seen and
// that are bugs by what all searches have seen.
func (h *hunt) takeRaces(all *race.Detector) error {
	bug := map[race.Pair]bool{}
	for _, c := range all.Candidates() {
		bug[c.Pair] = races.IsBug(c)
	}
	for i, c := range h.watched.Adjacent.Candidates() {
		if c.Kind != race.Data || !bug[c.Pair] {
			continue
		}
		f := &finding{key: story.RaceKey(h.Session, &c.Shown), fresh: true, path: slices.Clone(h.watched.Adjacent.Shown[i])}
		if err := h.raceAt(f, &c.Shown); err != nil {
			return err
		}
		old := h.seen[f.key]
		switch {
		case old == nil:
			h.seen[f.key] = f
			h.found = append(h.found, f)
		case f.preemptions < old.preemptions:
			*old = *f
		}
	}
	h.watched.Raced = false // it has stopped the search, and is to stop no other
	return nil
}

// raceAt makes a race's path a finding's execution: with its preemptions, the failure,
// and the last instruction whole.
func (h *hunt) raceAt(f *finding, x *race.Sighting) (err error) {
	if f.preemptions, err = h.CountPreemptions(f.path); err != nil {
		return err
	}
	f.failure = story.RaceFailure(h.Session, x)
	f.path, err = h.Complete(f.path)
	return err
}

// minimiseRace looks for the execution with the fewest preemptions in which the
// finding's accesses are neighbours, whichever comes first.
func (h *hunt) minimiseRace(f *finding, run *counted, opts por.Options) error {
	engine, err := por.New(h.withinBounds(), opts)
	if err != nil {
		return err
	}
	h.Guest.Rewind(h.Root)
	w := &races.Watched{Runner: run.runner(), Adjacent: races.NewLookout(h.RaceConfig(race.Adjacent))}
	m := &raceMinimiser{minimiser: minimiser{hunt: h, want: f}, w: w}
	h.stopsWithin(h.Session, true)
	stats, err := engine.Run(w, m)
	h.stopsWithin(h.Session, false)
	h.finer = h.finer || stats.Restarts > 0
	if err != nil {
		return nil // as in minimise
	}
	if m.got || stats.Complete {
		f.minimal = result.Proven
	}
	if !m.got {
		return nil
	}
	if err := h.raceAt(f, &m.shown); err != nil {
		return err
	}
	return h.outline(f)
}

type raceMinimiser struct {
	minimiser
	w     *races.Watched
	shown race.Sighting // on the path found
}

// Ended implements por.Observer.
func (m *raceMinimiser) Ended(*por.Execution) bool {
	for i, c := range m.w.Adjacent.Candidates() {
		if c.Kind == race.Data && story.RaceKey(m.Session, &c.Shown) == m.want.key {
			m.want.path, m.shown = slices.Clone(m.w.Adjacent.Shown[i]), c.Shown
			m.got = true
			return false
		}
	}
	return true
}

// Restarted implements por.Observer.
func (m *raceMinimiser) Restarted() { m.w.Restart() }
