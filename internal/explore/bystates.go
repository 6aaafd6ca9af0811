package explore

import (
	"errors"

	"landgo/internal/deepen"
	"landgo/internal/explore/config"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/por"
	"landgo/scheduler"
)

// byStates is a stateful search with a point before every access, for guests with
// endless executions. Threads that try for a lock, back out and try again come back
// to states that they have been in. The deepening's own searches run executions to
// their ends and can't go on; this one is left where it has been before
// (por/stateful.go). A deepening turns to it instead of giving up.
type byStates struct {
	*hunt
	err error // a *por.EndlessError, or what it couldn't do
}

// statesLimit is how many steps it has if there is no --time. A thread that counts
// without an end has no end of states.
const statesLimit = 2_000_000

// Beside that, a deepening that is far from its end has a search by states on a guest of its
// own. A program with few states and many interleavings (barriers, a pool's queue) has a
// verdict in thousands of steps, where every other search needs millions. It begins after
// statesAfter steps, or where the first job has met an execution of statesLong: threads that
// back out and try again. It has statesSoon steps at once, and then one in statesShare.
// Stored states take memory, so it ends after statesLimit.
const (
	statesAfter             = 200_000
	statesLong              = 1_000
	statesSoon, statesShare = 1 << 15, 4
)

// stateable reports whether the guest can be searched by states.
func (d *deepening) stateable() bool {
	return d.Platform.ByStates && !d.Config.Naive() && !d.Config.Seeded() && !d.Config.FailOnRace && d.Config.MaxExecutions == 0 && len(d.Config.AllRules()) == 0
}

// lookAtStates begins that search when it is due.
func (d *deepening) lookAtStates() {
	if d.states != nil || d.stateless || d.warm == 0 && d.steps < warmSteps/2 || d.settled() {
		return
	}
	first := d.spaces[d.plan.Jobs()[0]]
	if d.steps < d.pace(statesAfter) && (first == nil || first.stats.Longest < statesLong) {
		return
	}
	if d.stateable() && d.accompanied() {
		d.states, _ = d.hire(config.Stateful, nil) // without room there is none
	}
	if d.stateless = d.states == nil; !d.stateless && d.states.run(statesSoon) {
		d.takeBounded(d.states)
	}
}

// endless reports whether the deepening has given up because of an execution
// without an end, where another search could go on.
func (d *deepening) endless() bool {
	var long *scheduler.BudgetError
	return d.doomed != nil && errors.As(d.doomed.err, &long) && long.Steps != 0 && d.whole(d.doomed.job) && d.stopped == "" && len(d.found) == 0 && d.stateable()
}

// lookByStates makes the search, and takes over the bugs that it finds.
func (d *deepening) lookByStates() error {
	o := &byStates{hunt: &hunt{Session: d.Session, result: &result.Result{}, seen: map[string]*finding{}, obs: d.obs}}
	d.Guest.Rewind(d.Root)
	d.Guest.SetGranularity(d.Granularity(d.Config.PP, nil))
	d.Guest.Seen().Look(nil)
	engine, err := por.New(config.Stateful, por.Options{OneEvent: !d.Judged(), Stop: o.enough})
	if err != nil {
		return err
	}
	o.err = o.promptly(func() (err error) {
		o.stats, err = engine.Run(o.watchedSystem(), o)
		return err
	})
	o.outcomes.schedules(o.hunt, d.shown)
	d.byStates, d.doomed.job.State = o, deepen.Stuck
	for _, f := range o.found {
		if f.schedule, err = story.Schedule(d.Session, f.path); err != nil {
			return err
		}
		f.fresh, d.seen[f.key] = false, f
		d.found = append(d.found, f)
	}
	return nil
}

func (o *byStates) enough() bool {
	return o.stop() || o.Config.Time == 0 && steps(o.stats) > statesLimit
}

// proves reports whether it has seen every state, and no bug.
func (o *byStates) proves() bool {
	return o != nil && o.err == nil && o.stats.Complete && len(o.found) == 0
}
