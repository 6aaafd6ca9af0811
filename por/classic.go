package por

// classic is "DPOR using Clock Vectors (Classic-DPOR)" of the Nidhugg thesis
// (Sachinoglou 2018, Algorithm 6), which is Flanagan and Godefroid's Figure 4:
// "eager", for it adds backtrack points before it schedules, and for the
// backtrack sets being persistent sets. It is figure4.go without sleep sets,
// which Algorithm 6 doesn't have; that is the comparison that the thesis makes
// of the two kinds of backtrack set. dpor:figure=4,sleep=1 is the same with
// sleep sets.
//
// Soundness and deviations: eager.go.
func newClassic(h handle) strategy { return newClocks(h, false) }
