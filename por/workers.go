package por

import "cmp"

// The workers of a divided search (batch.go).

// Worker works on units of a search.
type Worker struct {
	// Begin returns a System for the next unit. It stands at the state at which the
	// search began. It knows threads by the same numbers and has the same
	// preemption points as the search's own. Facts learned from now on are news
	// (ErrFiner).
	Begin func() System
	// Obs sees what is run there. Only Ended is called, from a goroutine of its
	// own.
	Obs Observer
	// Seen, if not nil, returns what Obs has seen of the unit that was worked on
	// last.
	Seen func() any
}

// Crew offers workers to a search.
type Crew interface {
	// Hire returns workers, one at least. They are with the search until
	// Restart, or until it ends.
	Hire() ([]Worker, error)
	// Keep takes over what was seen of a unit, in the order of the units.
	Keep(seen any)
	// Restart is called when worker w has learned of finer points, so that
	// everything so far is void. It returns a System at the state at which the
	// search began. That knows what was known before and what this worker has
	// learned, and nothing else: what other workers learned meanwhile isn't part
	// of the search.
	Restart(w int) (System, error)
	// Failed is called when worker w's System has failed for good.
	Failed(w int)
}

// warmUp is how many steps without news of finer points a search makes in one go
// before it is divided. That is a twentieth of a second. Its Kind may say another
// number. Most searches that learn have learned by then, and for those that are
// over other workers wouldn't have begun yet.
const warmUp = 50_000

// warmUp is that of a search.
func (s Spec) warmUp(o *Options) uint64 { return cmp.Or(o.WarmUp, s.kind.warmUp, warmUp) }

// hire returns the workers of a search: those of its Crew, or own if it has none.
func (o *Options) hire(own Worker) ([]Worker, error) {
	if o.Crew == nil {
		return []Worker{own}, nil
	}
	return o.Crew.Hire()
}
