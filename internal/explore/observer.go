package explore

import "landgo/internal/result"

// Progress is how far a search is.
type Progress = result.Progress

// An Observer hears how far a search is.
//
// Progress is called from the goroutine that searches, at its start, then a
// few times a second, and never after Run or Replay returned. It must not
// block: the search waits for it.
type Observer interface {
	Progress(Progress)
}

// A Keeper is an Observer that can show the results of a run so far, and end it, when it doesn't
// end by itself.
type Keeper interface {
	Observer
	// SoFar is called with what was found so far, each time that there is more.
	// The result is the Keeper's.
	SoFar(*result.Result)
	// Late is called, from another goroutine, when a limit was reached a while ago:
	// OutOfTime, OutOfMemory or Interrupted.
	Late(result.ErrorKind)
}

// late is the function to call when a run hasn't ended a while after its limit was reached.
func late(obs Observer) func(result.ErrorKind) {
	if k, ok := obs.(Keeper); ok {
		return k.Late
	}
	return nil
}

// aside is the Keeper of a run beside another one. That it has found no bug is no news of that one.
type aside struct{ Keeper }

// SoFar implements Keeper.
func (a aside) SoFar(r *result.Result) {
	if r.Verdict == result.Buggy {
		a.Keeper.SoFar(r)
	}
}

// setAside is the observer of a run beside the one that obs observes.
func setAside(obs Observer) Observer {
	if k, ok := obs.(Keeper); ok {
		return aside{k}
	}
	return obs
}
