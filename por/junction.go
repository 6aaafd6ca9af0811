package por

import "landgo/trace"

// junction is a state that several workers know: the node that each has of it
// is a view of this.
//
// Invariants: all is under the team's lock. Branches of done and sleep don't
// change any more, and are in no pool; the list done grows at its head. The
// junctions of a path begin at the root. A junction is gone when nothing is
// todo or in progress.
type junction struct {
	up *junction // nil at the root
	// How the state before leads here.
	thread trace.TID
	choice trace.Choice
	last   uint64 // the thread's instruction number after it

	depth  int32
	strays int32
	sleep  []*branch
	todo   *branch
	done   *branch // taken: explored, or in progress
	active int     // of those, in progress
	over   int     // of those, explored
	coming int     // workers on their way here
	ended  bool
	gone   bool
	index  int // in team.live
}

// entry is what enter did.
type entry uint8

const (
	nothing entry = iota
	entered
	enteredAndLocked
)

// enter makes the lists of n, which may be shared, readable and writable until
// leave, which gets what enter returned. Several nodes may be entered at a
// time, and one several times.
func (x *explorer) enter(n *node) entry {
	if n.shared == nil || n.entered {
		return nothing
	}
	e := entered
	if x.team.lock(x) {
		e = enteredAndLocked
	}
	n.todo, n.done, n.entered = n.shared.todo, n.shared.done, true
	return e
}

// leave ends what enter began.
func (x *explorer) leave(n *node, e entry) {
	if e == nothing {
		return
	}
	n.shared.todo, n.shared.done, n.entered = n.todo, n.done, false
	if n.todo != nil && x.team.waiting > 0 {
		x.team.wake.Broadcast()
	}
	if e == enteredAndLocked {
		x.team.unlock(x)
	}
}

// publish makes junctions of the states of the current path up to depth d.
// Preconditions: the lock is held; the path isn't in the middle of a step.
func (x *explorer) publish(d int) {
	for i := 0; i <= d; i++ {
		n := &x.nodes[i]
		if n.shared != nil {
			continue
		}
		j := &junction{depth: n.depth, strays: n.strays, sleep: append([]*branch(nil), x.sleep[n.sleeps:n.slept]...),
			todo: n.todo, done: n.done, over: count(n.done), ended: n.ended}
		for b := j.done; b != nil; b = b.next {
			b.finished = true
		}
		if i > 0 {
			p := &x.nodes[i-1]
			j.up, j.thread, j.choice, j.last = p.shared, p.cur.thread, p.cur.choice, p.last
		}
		if n.cur != nil {
			j.take(x, n)
		}
		n.shared = j
		x.team.add(j)
	}
}

// take notes that n's current branch was taken from j.
func (j *junction) take(x *explorer, n *node) {
	b := x.pool.copy(&n.cur.event, n.last)
	b.next, j.done = j.done, b
	j.active++
}

// finish notes that nothing is left below a branch taken from j.
func (j *junction) finish(t trace.TID, c trace.Choice) {
	j.active--
	j.over++
	find(j.done, t, c).finished = true
}

// roamShared goes on from the last node, which is shared: with a branch left
// there, else from the state before if everything here is done, else elsewhere.
func (x *explorer) roamShared(n *node) error {
	t, j, i := x.team, n.shared, int(n.depth)
	t.lock(x)
	defer t.unlock(x)
	if j.gone {
		return x.findWork()
	}
	e := x.enter(n)
	b := x.take(n)
	x.leave(n, e)
	if b != nil {
		if err := x.step(n, b); err != nil || x.finer {
			return err
		}
		j.take(x, &x.nodes[i])
		return nil
	}
	if j.active > 0 {
		return x.findWork()
	}
	if j.done == nil && !j.ended {
		x.end(EndedBlocked)
		j.ended = true
	}
	t.remove(j)
	if i == 0 {
		t.complete = true
		t.stop()
		x.halted = true
		return nil
	}
	x.close()
	return nil
}

// visit goes to a junction.
func (x *explorer) visit(j *junction) error {
	x.unwind()
	x.sys.Rewind(x.root)
	path := make([]*junction, j.depth+1)
	for k := j; k != nil; k = k.up {
		path[k.depth] = k
	}
	for k, j := range path {
		n, able := x.arrive()
		n.shared, n.strays, n.ended = j, j.strays, true
		x.sleep = append(x.sleep, j.sleep...)
		n.slept = int32(len(x.sleep))
		x.markAt(n, able)
		if k+1 == len(path) {
			break
		}
		next := path[k+1]
		if !x.isReady(k, next.thread) {
			return errAway
		}
		if t, err := x.perform(n, x.pool.named(next.thread, next.choice)); err != nil {
			return err
		} else if x.finer {
			return x.runOut(t)
		} else if t.Last != next.last {
			return errAway
		}
	}
	if r, ok := x.strat.(resumer); ok {
		r.resumed()
	}
	return nil
}
