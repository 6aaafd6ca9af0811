package page

import "slices"

// reduce leaves out, of what rows come after, all that follows from the rest: a picture with
// every edge hides those that matter.
func (s *story) reduce() {
	seen := make([][]int, len(s.rows)) // of each row, by lane: the last row that it comes after, from 1
	last := make([]int, len(s.names))  // by lane: its last row so far, from 1
	for i := range s.rows {
		r := &s.rows[i]
		clock := make([]int, len(s.names))
		if n := last[r.Thread]; n > 0 {
			copy(clock, seen[n-1])
		}
		slices.Sort(r.After)
		var keep []int
		for _, a := range slices.Backward(r.After) { // what a later one says needn't be said again
			if from := s.rows[a].Thread; clock[from] <= a {
				keep = append(keep, a)
				for lane, n := range seen[a] {
					clock[lane] = max(clock[lane], n)
				}
			}
		}
		slices.Reverse(keep)
		r.After = keep
		clock[r.Thread] = i + 1
		seen[i], last[r.Thread] = clock, i+1
	}
}
