package por

import (
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// kept is what a graph P had beyond event r when a revisit of r left it, so that
// P needn't be made again, step by step, when the revisit's graphs are done
// (trust.go). It holds no state of the System: to stand in one of P's states
// beyond r, the walk runs the steps to there again (graph.come).
//
// Memory: the events thrown away, for each of the nested revisits under way. A
// walk that was suspended comes back without. It makes P again as guided(K)
// then, and forgets the states that it went through: so all counts are the same
// with and without.
type kept struct {
	// steps[i] is event r+i with the state before it; the last is P's last state,
	// without an event. What they point to is their own.
	steps []step
	wakes [][]trace.TID // by each event
	ready []uint64

	// What came with the states after r's.
	spins  []spun
	waits  []trace.Access
	passes []pass
	holds  []hold

	// The revisits that were being looked through, and the one under way.
	pending []*branch
	which   int
	varies  bool
	take    []bool
}

// keepable is how many events of a graph are kept at the most.
const keepable = 1 << 8

// keep takes what is beyond event r out of the graph at hand, and leaves the
// state before r. The revisit under way is w.cand's.
func (w *trust) keep(r int) *kept {
	n := w.size()
	k := &kept{steps: slices.Clone(w.steps[r:]), wakes: make([][]trace.TID, n-r),
		ready: slices.Clone(w.ready[(r+1)*w.words : (n+1)*w.words]), which: w.which, varies: w.cand.varies,
		pending: slices.Clone(w.pending), take: slices.Clone(w.cand.take)}
	first := &w.steps[r+1]
	k.spins, k.waits = slices.Clone(w.spins[first.spins:]), slices.Clone(w.waits[first.waits:])
	k.passes, k.holds = slices.Clone(w.passes[first.passes:]), slices.Clone(w.holds[first.holds:])
	k.own()
	for i := range k.wakes {
		for t := range w.order.Woken(int32(r + i)) {
			k.wakes[i] = append(k.wakes[i], t)
		}
	}
	w.pending, w.looking = w.pending[:0], false
	for w.size() > r {
		w.lift(func(*branch) {})
	}
	return k
}

// own makes the steps' events their own: what they point to is the System's.
func (k *kept) own() {
	accesses, ops := 0, 0
	for i := range k.steps[:len(k.steps)-1] {
		s := &k.steps[i]
		if s.kept == nil {
			s.redo = -1 // as if it had been made again
		}
		accesses += len(s.Accesses) + len(s.Waits) + len(s.did.Accesses) + len(s.did.Waits)
		ops += len(s.Ops) + len(s.did.Ops)
	}
	as, os := make([]trace.Access, 0, accesses), make([]trace.Op, 0, ops)
	for i := range k.steps[:len(k.steps)-1] {
		s := &k.steps[i]
		as, os = owned(&s.Event, as, os)
		if s.weak {
			as, os = owned(&s.did, as, os)
		}
	}
}

// owned has e point to copies at the ends of as and os.
func owned(e *relation.Event, as []trace.Access, os []trace.Op) ([]trace.Access, []trace.Op) {
	copied := func(list []trace.Access) []trace.Access {
		n := len(as)
		as = append(as, list...)
		return as[n:len(as):len(as)]
	}
	e.Accesses, e.Waits = copied(e.Accesses), copied(e.Waits)
	n := len(os)
	os = append(os, e.Ops...)
	e.Ops = os[n:len(os):len(os)]
	return as, os
}

// restore puts what k has back behind event r, and goes on to look through the
// revisits of that graph.
func (w *trust) restore(k *kept, r int) error {
	last, words := len(k.steps)-1, len(k.ready)/max(1, len(k.steps)-1)
	for i := range k.steps {
		s := w.tip()
		mark, marked := s.mark, s.marked && i == 0
		*s = k.steps[i]
		s.mark, s.marked = mark, marked
		if i > 0 {
			w.arrive(k, i)
			w.ready = atLeast(w.ready, (r+i+1)*w.words)
			row := w.ready[(r+i)*w.words:]
			clear(row)
			copy(row, k.ready[(i-1)*words:i*words])
		}
		if i < last {
			w.readd(s, k.wakes[i])
		}
	}
	w.at = -1
	w.pending, w.which = append(w.pending[:0], k.pending...), k.which
	w.start(w.pending[w.which])
	w.cand.varies = k.varies
	if !w.reach(int32(r)) {
		return w.lost(w.cand.a.Thread)
	}
	copy(w.cand.take, k.take)
	return nil
}

// readd adds the event of s, the newest state, again, which woke threads.
func (w *trust) readd(s *step, wakes []trace.TID) {
	n := int32(w.size())
	if s.Choice != 0 || s.added == revisits {
		w.turned = append(w.turned, n)
	}
	if s.weak {
		w.weak = append(w.weak, n)
	}
	w.spin[s.Thread] = 0
	w.order.Push(&s.Event, trace.Op{})
	for _, t := range wakes {
		w.order.Wake(t)
	}
	w.steps = append(w.steps, step{})
}

// arrive adds what came with state i of k, the newest.
func (w *trust) arrive(k *kept, i int) {
	first, s := &k.steps[1], &k.steps[i]
	next := step{spins: first.spins + int32(len(k.spins)), waits: first.waits + int32(len(k.waits)),
		passes: first.passes + int32(len(k.passes)), holds: first.holds + int32(len(k.holds))}
	if i+1 < len(k.steps) {
		next = k.steps[i+1]
	}
	w.waits = append(w.waits, k.waits[s.waits-first.waits:next.waits-first.waits]...)
	for _, p := range k.spins[s.spins-first.spins : next.spins-first.spins] {
		w.spins = append(w.spins, p)
		w.spin[p.thread] = int32(len(w.spins))
	}
	for _, p := range k.passes[s.passes-first.passes : next.passes-first.passes] {
		w.passes = append(w.passes, p)
		w.passed[p.thread] = int32(len(w.passes))
	}
	for _, h := range k.holds[s.holds-first.holds : next.holds-first.holds] {
		w.holds = append(w.holds, h)
		w.held[h.what.Thread] = int32(len(w.holds))
	}
}

// regain makes the graph again that a revisit by thread t displaced event r of,
// and goes on to look through its revisits.
func (w *trust) regain(t trace.TID, r int32, k *kept) error {
	if k != nil {
		for w.size() > int(r) {
			w.drop(w.pop())
		}
		return w.restore(k, int(r))
	}
	replayed, used, marked := w.stats.Replayed, w.used, w.steps[r].marked
	defer w.guide.empty(&w.pool)
	if err := w.remake(t, r, -1); err != nil || w.over() {
		return err
	}
	if err := w.resume(t, r); err != nil || w.over() {
		return err
	}
	if w.size()-int(r) <= keepable {
		w.stats.Replayed, w.used, w.at = replayed, used, -1
		w.steps[r].marked = marked
		for i := int(r) + 1; i <= w.size(); i++ {
			w.steps[i].marked = false
		}
	}
	return nil
}
