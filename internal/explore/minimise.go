package explore

import (
	"fmt"

	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// minimiseLimit is after how many executions the search for an interleaving with fewer
// preemptions ends, for each bug, if it doesn't for what it costs (patience.go).
const minimiseLimit = 10_000

// minimise looks for the interleaving with the fewest preemptions: bounded
// partial-order reduction (Coons, Musuvathi and McKinley, OOPSLA 2013), or search bounded where
// that isn't proven, at bounds 0, 1, 2, ... Its first finding is the least. If it ends without, the known bug
// is. A fair bound of the search stays. Where one bug is asked for, the story told
// is the shortest of any bug; with --keep-going each has its own.
func (h *hunt) minimise(f *finding) error {
	unlimited, err := h.fewerFaults(f)
	defer unlimited()
	if err != nil {
		return err
	}
	if f.preemptions == 0 {
		f.minimal = result.Proven
		return nil
	}
	spec, err := por.ParseSpec(h.Config.Search)
	if err != nil {
		return err
	}
	if _, ok := h.Config.Bounds.Limit(por.Preempt); ok && len(h.Config.Bounds) == 1 && h.Config.BoundFrom == 0 && spec.Claim() == por.Everything && !spec.Kind().Unordered {
		f.minimal = result.Proven // the search went by bounds already
		return nil
	}
	f.minimal = result.BestFound
	if f.failure.Kind == trace.Output {
		return nil // no execution shows it alone
	}
	run := h.refining(f)
	if h.shorten(f, run) {
		if err := h.afoot(f); err != nil {
			return err
		}
		if err := h.outline(f); err != nil {
			return err
		}
		h.publish()
		if f.preemptions == 0 {
			f.minimal = result.Proven
			return nil
		}
	}
	if passes(f.path) {
		return nil // a search would have points everywhere
	}
	opts := por.Options{
		OneEvent: h.OneEvent(), Bounds: por.Bounds{{Measure: por.Preempt, Limit: f.preemptions - 1}}, Iterate: true, MaxExecutions: minimiseLimit,
		Stop: func() bool { return run.Spent() || h.stop() },
	}
	if f.failure.Kind == trace.Race {
		return h.minimiseRace(f, run, opts)
	}
	fair, cyclic := h.Config.Bounds.Limit(por.Fair)
	if cyclic { // without it executions needn't end
		opts.Bounds = append(opts.Bounds, por.Bound{Measure: por.Fair, Limit: fair})
	}
	engine, err := por.New(h.withinBounds(), opts)
	if err != nil {
		return err
	}
	got, stats, err := h.seek(engine, run, f)
	if err != nil {
		// Something that the reduced search didn't meet (a step budget) leaves the
		// bug as it was.
		return nil
	}
	if (got || stats.Complete) && !cyclic {
		f.minimal = result.Proven
	}
	if !got {
		return nil
	}
	return h.outline(f)
}

// afoot has a finding's execution that goes on past points be one that goes step by step where threads are switched,
// as its schedule is followed. Its story has their accesses one by one then.
func (h *hunt) afoot(f *finding) (err error) {
	if !passes(f.path) {
		return nil
	}
	if f.schedule, err = story.Schedule(h.Session, f.path); err != nil {
		return err
	}
	h.IsLong(f.schedule)
	return h.refine(f)
}

// seek has a search look for another execution that ends as a bug does, from the root on.
func (h *hunt) seek(engine por.Search, run *counted, f *finding) (got bool, stats por.Stats, err error) {
	h.Guest.Rewind(h.Root)
	m := &minimiser{hunt: h, want: f}
	h.stopsWithin(h.Session, true)
	stats, err = engine.Run(run, m)
	h.stopsWithin(h.Session, false)
	h.finer = h.finer || stats.Restarts > 0
	return m.got, stats, err
}

// minimiser is the por.Observer of a search for a shorter story.
type minimiser struct {
	*hunt
	want *finding
	got  bool
}

// Ended implements por.Observer.
func (m *minimiser) Ended(x *por.Execution) bool {
	if m.want.passed() {
		return m.endedPast(x)
	}
	f := m.wanted(m.failureAt(x))
	if f == nil {
		return true
	}
	key := m.key(f)
	if m.Config.KeepGoing && key != m.want.key {
		return true
	}
	m.want.failure, m.want.key, m.want.preemptions = *f, key, x.Preemptions
	m.want.path = x.Path(m.want.path[:0])
	m.got = true
	return false
}

// endedPast looks at an execution for a bug that it goes past.
func (m *minimiser) endedPast(x *por.Execution) bool {
	f := m.passedAs(m.want.key)
	if f == nil {
		return true
	}
	m.want.failure = *f
	m.want.path, m.want.preemptions = until(x.Path(nil), f)
	m.got = true
	return false
}

// Progress implements por.Observer.
func (m *minimiser) Progress(p por.Progress) {
	if m.obs != nil {
		m.obs.Progress(Progress{Phase: "minimising", Executions: p.Stats.Executions, Bugs: len(m.found)})
	}
}

// Restarted implements por.Observer. The bugs of the search before stay: their
// schedules hold however fine the steps are.
func (m *minimiser) Restarted() {}

// refine makes the finding's steps as fine as they are now. Its search knew of
// less shared memory than a minimising one met after it.
func (h *hunt) refine(f *finding) error {
	path, failure, err := h.FollowAll(f.schedule)
	if err != nil {
		return fmt.Errorf("an execution couldn't be run again: %w", err)
	}
	if f.passed() {
		again := h.passedAs(f.key)
		if again == nil {
			return fmt.Errorf("an execution went another way when it was run again in finer steps")
		}
		f.path, f.failure = path, *again
		return nil
	}
	if !f.own() {
		f.path = path // its story looks for the race
		if f.failure.Kind == trace.Output {
			f.attribute()
		}
		return nil
	}
	// With other steps a loop is seen to go round at another of its instructions,
	// which is part of a livelock's key.
	spins := failure != nil && failure.Kind == trace.Livelock && f.failure.Kind == trace.Livelock && failure.Message == f.failure.Message
	if failure == nil || h.key(failure) != f.key && !spins {
		return fmt.Errorf("an execution went another way when it was run again in finer steps")
	}
	f.path, f.failure = path, *failure
	return nil
}
