package explore

import "landgo/result"

// Progress is how far a search is.
type Progress = result.Progress

// An Observer is told how far a search is.
//
// Progress is called from the goroutine that searches, at its start, then a
// few times a second, and never after Run or Replay returned. It must not
// block: the search waits for it.
type Observer interface {
	Progress(Progress)
}
