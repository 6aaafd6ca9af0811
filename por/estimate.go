package por

// The share of the search that is done, by Simsa, Bryant and Gibson's weighted
// backtrack estimator (CMU-PDL-12-113, after Kilby et al.): an execution weighs
// the product, over the states along it, of one over the number of branches
// known there, and the share is the weight of the executions done.
//
// Deviation: they adjust stored weights whenever a branch is added. Here
// nothing is stored: the branches done at the states of the current path weigh
// 1/(known) each, times the weight of the path to there, and everything else
// done lies below one of those. So the same figure costs one pass over the
// path, paid for when somebody asks.
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

// progress is the deepest junction of x's path, and the share of what is below
// it, on that path, that is done.
func (x *explorer) progress() (at *junction, below float64) {
	k := 0
	for k < len(x.nodes) && x.nodes[k].shared != nil {
		at = x.nodes[k].shared
		k++
	}
	return at, shareOf(x.nodes[k:])
}

// progress sums up what all members have done. In a tree that is shared near
// its root, what is done lies below the branches explored at junctions, or
// below where a member is.
func (t *team) progress() Progress {
	var p Progress
	weights := map[*junction]float64{}
	for _, j := range t.live {
		p.Share += j.weight(weights) * float64(j.over)
	}
	for i := range t.seen {
		r := &t.seen[i]
		p.Stats.add(&r.stats)
		if r.at != nil && !r.at.gone {
			p.Share += r.at.weight(weights) * r.below
		}
	}
	p.Stats.Restarts = t.members[0].stats.Restarts
	return p
}

// weight is the share of one branch of j.
func (j *junction) weight(known map[*junction]float64) float64 {
	if w, ok := known[j]; ok {
		return w
	}
	w := 1.0
	if j.up != nil {
		w = j.up.weight(known)
	}
	if n := count(j.todo) + count(j.done); n > 0 {
		w /= float64(n)
	}
	known[j] = w
	return w
}
