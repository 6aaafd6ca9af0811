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
// Another estimate was tried: a branch that isn't explored is as large as those of its state that
// are. It is nearer early, because it sees lopsided trees, and farther off late, where a small
// sample of sizes stands for much: docs/papers.md.
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

// Moves is how the estimate of a search's size has moved. A share of a tree whose branches aren't
// known yet is no more than a guess. The guesses before say how good it is.
type Moves struct {
	at     []uint64 // executions, each a tenth more than the last
	totals []float64
}

// Note takes in a report of a search.
func (m *Moves) Note(executions uint64, share float64) {
	n := len(m.at)
	if n > 0 && executions < m.at[n-1] { // it has begun again
		m.at, m.totals, n = m.at[:0], m.totals[:0], 0
	}
	if share > 0 && executions > 0 && (n == 0 || executions >= m.at[n-1]+m.at[n-1]/10) {
		m.at, m.totals = append(m.at, executions), append(m.totals, float64(executions)/share)
	}
}

// Range is between which numbers the estimates lay since a quarter of this many executions, of
// which the estimate is that of share now. Zeros: there is no estimate.
func (m *Moves) Range(executions uint64, share float64) (least, most float64) {
	return m.since(executions/4, executions, share)
}

// Rises reports whether the estimates have grown since half of the executions, by two fifths or more and
// up to the present one. The search still learns of branches, then. On ten guests, asked after 5, 20 and
// 50 % of their executions, it was so seven times. Six times the true number was greater, up to seven times
// as great; once it was a third.
func (m *Moves) Rises(executions uint64, share float64) bool {
	least, most := m.since(executions/2, executions, share)
	return least > 0 && most > 1.4*least && float64(executions)/share == most
}

func (m *Moves) since(from, executions uint64, share float64) (least, most float64) {
	if !(share > 0) || executions == 0 {
		return 0, 0
	}
	least = float64(executions) / share
	most = least
	for i, at := range m.at {
		if at >= from && at <= executions {
			least, most = min(least, m.totals[i]), max(most, m.totals[i])
		}
	}
	return least, most
}
