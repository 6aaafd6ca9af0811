package story

import (
	"fmt"

	"landgo/internal/result"
)

// A failing run's story about stores that wait in a store buffer (record, buffer.go).

// unseen tells of the first store that another thread comes before, because it is in its
// store buffer. It prefers a store behind which its own thread has loaded something.
func (st *Story) unseen(b *result.Bug) bool {
	for _, loads := range []bool{true, false} {
		for j := range st.Beats {
			for k := range st.Beats[j].Accesses {
				if !st.Delayed(j, k) || loads && !st.Overtakes(j, k) {
					continue
				}
				if x, ok := st.ComesBefore(j, k); ok {
					st.tellUnseen(b, at{Beat: j, Access: k}, x)
					return true
				}
			}
		}
	}
	return false
}

func (st *Story) tellUnseen(b *result.Bug, s, x at) {
	store, other := st.shown(s), st.shown(x)
	does := "reads"
	if st.AccessAt(x).IsWrite() {
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
