package cause

import (
	"fmt"

	"landgo/internal/result"
)

// Stores that another thread doesn't see, because they are in a store buffer.

// unseen tells of the first store that another thread comes before, because it is in its
// store buffer. It prefers a store behind which its own thread has loaded something.
func (cs *Case) unseen(b *result.Bug) bool {
	for _, loads := range []bool{true, false} {
		for j := range cs.Beats {
			for k := range cs.Beats[j].Accesses {
				if !cs.Delayed(j, k) || loads && !cs.Overtakes(j, k) {
					continue
				}
				if x, ok := cs.ComesBefore(j, k); ok {
					cs.tellUnseen(b, at{Beat: j, Access: k}, x)
					return true
				}
			}
		}
	}
	return false
}

func (cs *Case) tellUnseen(b *result.Bug, s, x at) {
	store, other := cs.Shown(s), cs.Shown(x)
	does := "reads"
	if cs.AccessAt(x).IsWrite() {
		does = "has written"
	}
	b.Cause = fmt.Sprintf("thread %s's store to %s%s is still in its store buffer when thread %s %s %s%s",
		store.Thread, store.Symbol, placeText(&store), other.Thread, does, other.Symbol, placeText(&other))
	b.Accesses = []result.Access{store, other}
}

// placeText is where an access is, in brackets, with the value that a load found.
func placeText(a *result.Access) string {
	value := ""
	if a.Old != "" {
		value = " as " + a.Old
	}
	if place := where(a.Stack); place != "" {
		return fmt.Sprintf("%s (%s)", value, place)
	}
	return value
}
