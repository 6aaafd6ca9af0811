package trust

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// kept is the part of a graph P beyond event r when a revisit of r left it. So P
// needn't be made again, step by step, when the revisit's graphs are done (doc.go).
// It holds no state of the System: to stand in one of P's states beyond r, the walk
// runs the steps to there again (graph.come).
//
// Memory: the events thrown away, for each of the nested revisits under way. A
// walk that was suspended comes back without. It makes P again as guided(K)
// then, and forgets the states that it went through: so all counts are the same
// with and without.
type kept struct {
	// steps[i] is event r+i with the state before it; the last is P's last state,
	// without an event. Everything they point to is their own.
	steps []step
	wakes []woken
	ready rows
	fails rows

	// The data of the states after r's.
	spins  []spun
	waits  []trace.Access
	passes []pass
	holds  []hold

	// The revisits that were being looked through, and the one under way.
	pending []*deed
	which   int
	varies  bool
	take    []bool
}

// woken is a thread that event r+at woke.
type woken struct {
	at     int32
	thread trace.TID
}

// keepable is how many events of a graph are kept at the most.
const keepable = 1 << 8

// keep takes what is beyond event r out of the graph at hand, and leaves the
// state before r. The revisit under way is w.cand's.
func (w *Walk) keep(r int) *kept {
	k, first := w.spareKept(), &w.steps[r+1]
	k.steps = append(k.steps[:0], w.steps[r:]...)
	k.ready, k.fails = w.ready.from(k.ready, r+1), w.fails.from(k.fails, r+1)
	k.spins, k.waits = append(k.spins[:0], w.spins[first.spins:]...), append(k.waits[:0], w.waits[first.waits:]...)
	k.passes, k.holds = append(k.passes[:0], w.passes[first.passes:]...), append(k.holds[:0], w.holds[first.holds:]...)
	k.pending, k.which = append(k.pending[:0], w.pending...), w.which
	k.take, k.varies = append(k.take[:0], w.cand.take...), w.cand.varies
	k.wakes = k.wakes[:0]
	for i := range k.steps[:len(k.steps)-1] {
		for t := range w.order.Woken(int32(r + i)) {
			k.wakes = append(k.wakes, woken{int32(i), t})
		}
	}
	k.own(&w.room)
	w.pending, w.looking = w.pending[:0], false
	for w.size() > r {
		w.lift(func(*deed) {})
	}
	return k
}

func (w *Walk) spareKept() *kept {
	if n := len(w.spare); n > 0 {
		k := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return k
	}
	return new(kept)
}

// eventRoom is room for what events point to. It is used once, and in pieces:
// nothing says when the events are gone.
type eventRoom struct {
	accesses []trace.Access
	ops      []trace.Op
}

// own makes the steps' events their own: what they point to is the System's.
func (k *kept) own(room *eventRoom) {
	for i := range k.steps[:len(k.steps)-1] {
		s := &k.steps[i]
		if s.kept == nil {
			s.redo = -1 // as if it had been made again
		}
		room.own(&s.Event)
		if s.weak {
			room.own(&s.did)
		}
	}
}

// own has e point to copies.
func (r *eventRoom) own(e *relation.Event) {
	e.Accesses, r.accesses = copied(e.Accesses, r.accesses)
	e.Waits, r.accesses = copied(e.Waits, r.accesses)
	e.Ops, r.ops = copied(e.Ops, r.ops)
}

// copied is a copy of list in room, and what is left of the room.
func copied[T any](list, room []T) (own, left []T) {
	n := len(list)
	if n > len(room) {
		room = make([]T, max(n, 1<<10))
	}
	copy(room, list)
	return room[:n:n], room[n:]
}

// restore puts what k has back behind event r, and goes on to look through the
// revisits of that graph.
func (w *Walk) restore(k *kept, r int) error {
	last, wakes := len(k.steps)-1, k.wakes
	for i := range k.steps {
		s := w.tip()
		mark, marked := s.mark, s.marked && i == 0
		*s = k.steps[i]
		s.mark, s.marked = mark, marked
		if i > 0 {
			w.arrive(k, i)
			w.ready.put(r+i, &k.ready, i-1)
			w.fails.put(r+i, &k.fails, i-1)
		}
		if i < last {
			w.readd(s)
			for ; len(wakes) > 0 && int(wakes[0].at) == i; wakes = wakes[1:] {
				w.order.Wake(wakes[0].thread)
			}
			w.steps = append(w.steps, step{})
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
	clear(k.steps)
	w.spare = append(w.spare, k)
	return nil
}

// readd adds the event of s, the newest state, again.
func (w *Walk) readd(s *step) {
	n := int32(w.size())
	if s.Choice != 0 || s.added == revisits {
		w.turned = append(w.turned, n)
	}
	if s.weak {
		w.weak = append(w.weak, n)
	}
	w.spin[s.Thread] = 0
	w.order.Push(&s.Event, trace.Op{})
}

// arrive adds what came with state i of k, the newest.
func (w *Walk) arrive(k *kept, i int) {
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
func (w *Walk) regain(t trace.TID, r int32, k *kept) error {
	if k != nil {
		for w.size() > int(r) {
			w.drop(w.pop())
		}
		return w.restore(k, int(r))
	}
	replayed, used, marked := w.Replayed, w.Used, w.steps[r].marked
	defer w.guide.empty(&w.pool)
	if err := w.remake(t, r, -1); err != nil || w.Over() {
		return err
	}
	if err := w.resume(t, r); err != nil || w.Over() {
		return err
	}
	if w.size()-int(r) <= keepable {
		w.Replayed, w.Used, w.at = replayed, used, -1
		w.steps[r].marked = marked
		for i := int(r) + 1; i <= w.size(); i++ {
			w.steps[i].marked = false
		}
	}
	return nil
}
