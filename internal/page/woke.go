package page

import (
	"strings"

	"landgo/internal/result"
)

// wake finds, for each row that wakes threads, where these go on.
func (s *story) wake(account []result.Event) {
	next := map[int]int{} // by lane: its first row behind
	for i := len(s.rows) - 1; i >= 0; i-- {
		r := &s.rows[i]
		if i+1 == len(s.rows) || s.rows[i+1].Step != r.Step { // the last row of a step
			for _, t := range account[r.Step-1].Wakes {
				if n, ok := next[s.lane(t)]; ok {
					s.rows[s.wakes(i)].Woke = append(s.rows[s.wakes(i)].Woke, n)
				}
			}
		}
		next[r.Thread] = i
	}
}

// wakes is the row of a step, which ends with row i, that wakes a thread: a call that does
// so, or else the last.
func (s *story) wakes(i int) int {
	for k := i; k >= 0 && s.rows[k].Step == s.rows[i].Step; k-- {
		for _, verb := range []string{"signals ", "broadcasts ", "posts ", "unlocks ", "sends ", "arrives "} {
			if strings.HasPrefix(s.rows[k].Text, verb) {
				return k
			}
		}
	}
	return i
}
