package scheduler

// trials run a thread on, and take that back. News learned meanwhile stays.
type trials struct {
	in       *present
	learning *learning
	attempt  *attempt
	buffers  *buffers
}

// probe has f run a thread, and takes all back but what was learned.
func (t *trials) probe(th *thread, f func(th edit)) {
	finer, observer := t.learning.finer, t.in.observer
	t.attempt.probing, t.in.observer = true, nil
	under := len(t.buffers.under)
	k := t.in.aside()
	f(t.in.edit(th.ID))
	t.in.takeBack(k)
	t.buffers.under, t.buffers.weak = t.buffers.under[:under], 0
	// News of sharing is known for good, so the search has to start
	// again as if the turn were real.
	t.attempt.probing, t.learning.finer, t.in.observer = false, finer || t.learning.finer, observer
}
