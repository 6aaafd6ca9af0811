package por

// classic is "DPOR using Clock Vectors (Classic-DPOR)" of the Nidhugg thesis
// (Sachinoglou 2018, Algorithm 6), which is Flanagan and Godefroid's Figure 4.
// It is "eager": it adds backtrack points before it schedules. Its backtrack
// sets are persistent sets. It is figure4.go without sleep sets, which Algorithm
// 6 doesn't have; dpor:figure=4,sleep=1 has them. That is the thesis's
// comparison of the two kinds of backtrack set.
//
// Soundness and deviations: eager.go.
func newClassic(h handle) strategy { return newClocks(h, false) }
