package por

// iterate explores with the bounds 0, 1, ... up to bound, or to the first that
// cuts nothing off (iterative context bounding, Musuvathi and Qadeer, PLDI
// 2007).
//
// Deviation: the paper keeps a queue of the prefixes at which the bound struck,
// whose size grows with the number of executions. Here each round starts at
// the root again and leaves out, in what is counted and observed, what has
// fewer preemptions than its bound: that was seen in an earlier round.
func iterate(x *explorer, bound int) (Stats, error) {
	var sum Stats
	for b := 0; ; b++ {
		x.bound, x.fresh = b, b
		x.stats = Stats{Executions: sum.Executions, Transitions: sum.Transitions, Replayed: sum.Replayed, Restarts: sum.Restarts}
		err := x.run()
		if b > 0 && x.stats.Restarts > sum.Restarts {
			// Points became finer: earlier rounds don't count.
			sum = Stats{Restarts: x.stats.Restarts}
			b = -1
			continue
		}
		sum = x.stats
		if err != nil || !sum.Complete || b == bound || sum.Pruned == 0 {
			return sum, err
		}
	}
}
