package por

// share is the share of the search that is done, by Simsa, Bryant and Gibson's
// weighted backtrack estimator (CMU-PDL-12-113, after Kilby et al.). An
// execution weighs the product, over the states along it, of one over the number
// of branches known there. The share is the weight of the executions done.
//
// Deviation: they adjust stored weights whenever a branch is added. Here nothing
// is stored. The branches done at the states of the current path weigh 1/(known)
// each, times the weight of the path to there; everything else done lies below
// one of those. So the same figure costs one pass over the path, when it is
// asked for.
//
// Another estimate was tried: a branch that isn't explored is as large as those
// of its state that are. It is nearer early, for it sees lopsided trees, and
// farther off late, where a small sample of sizes stands for much:
// docs/papers.md.
func (x *explorer) share() float64 {
	if s, ok := x.strat.(interface{ share() (float64, bool) }); ok {
		if share, known := s.share(); known {
			return share
		}
	}
	return shareOf(x.nodes)
}

func shareOf(nodes []node) float64 {
	share, weight := 0.0, 1.0
	for i := range nodes {
		n := &nodes[i]
		done, left := count(n.done), count(n.todo)
		known := done + left
		if n.cur != nil {
			known++
		}
		if known == 0 {
			break
		}
		share += weight * float64(done) / float64(known)
		weight /= float64(known)
	}
	return share
}

func count(b *branch) (n int) {
	for ; b != nil; b = b.next {
		n++
	}
	return n
}
