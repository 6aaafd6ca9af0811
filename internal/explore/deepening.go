package explore

import (
	"time"

	"landgo/internal/deepen"
	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/race"
)

// deepening is a hunt through many spaces.
type deepening struct {
	*hunt
	plan    *deepen.Plan
	spaces  map[*deepen.Job]*space
	races   *race.Detector
	sighted []sightedRace             // by candidate of races
	benign  map[race.Pair]*deepen.Job // the one with the most points at which each is
	apart   map[race.Pair]bool        // that some execution had without an order
	after   []uint64                  // executions of all jobs when each was added
	passed  bool                      // one execution is over
	steps   uint64                    // of all jobs
	both    *race.Detector            // where races are bugs: of all jobs
	// horizon is for how many steps is planned.
	horizon uint64
	begun   time.Duration // of the clock
	// stands are the guests of further workers, see round.go.
	stands []*session.Session
	// bounded is there once the warm-up is over, at warm steps; delayed where there are
	// many threads, or bounded reaches no claim. undelayed: there is no room for that.
	bounded    *bounded
	delayed    *bounded
	undelayed  bool
	states     *bounded // by states, see bystates.go
	stateless  bool     // that can't be, or there is no room
	fewer      *bounded // that is spared more orders, see fewer.go
	fewerless  bool     // the same of it
	warm       uint64
	boundedErr error
	ways       *ways  // nil as long as there are none
	ladder     ladder // as ways
	exhausted  bool   // all bugs there are were found
	stuck      *turn  // of a job that has no end
	doomed     *turn  // that ended everything
	byStates   *byStates
	// alone goes on, alone, before anything else is looked at: it was only paused.
	alone    *deepen.Job
	narrowed map[*deepen.Job]bool // their callers were looked at (narrow.go)
	saver    saved.Saver
	shown    map[string]trace.Schedule // executions that show outcomes
}

// settled reports whether the verdict is known.
func (d *deepening) settled() bool {
	return d.instead != nil || d.insteadErr != nil || d.plan.Proof() != nil || d.exhausted || d.bounded != nil && d.bounded.proves() || d.states.proves() || d.fewer.proves() || len(d.found) > 0 && !d.Config.KeepGoing
}

// whole: a job with a point before every access.
func (d *deepening) whole(j *deepen.Job) bool { return j.Set.Kinds.Has(trace.MemPoints) }

// open lists the instructions of the space just explored that conflict with
// others' without points between.
func (d *deepening) open() (at []uint64) {
	for _, p := range d.Guest.Seen().Unexamined() {
		at = append(at, p.First.PC, p.Second.PC)
	}
	return at
}

// left is how many steps there is time for.
func (d *deepening) left() float64 {
	for d.steps >= d.horizon {
		d.horizon *= 2
	}
	return float64(d.horizon - d.steps)
}

// accompanied reports whether other searches have a share of the time. With a limit on
// executions, or on where points may be, the jobs run alone.
func (d *deepening) accompanied() bool {
	return !d.Config.Naive() && !d.Config.Seeded() && d.Config.MaxExecutions == 0 && len(d.Config.AllRules()) == 0
}
