package por

import (
	"slices"
	"sort"

	"landgo/internal/trace"
)

// A search of one tree, divided: what explorer.go and explorerstep.go do alone.
//
// Between two batches the tree is *shared states*: those on the way from the root
// to where each unit goes on. In a batch a unit is a walk like any other, below the
// last state on its way below which other units are too. The states up to there,
// with what is planned, taken and asleep there, are read and not changed. The unit
// keeps its additions to their branches to itself, and the merge adds them, unit by
// unit. A batch that has room for further units takes branches left in the states
// nearest to the root, where the most is below. It takes one of a state at a time,
// so that what sleeps beside the next one is known.
//
// A strategy of the common walk has to offer for that (Kind.Whole):
//   - A branch's exploration is right whatever the order in which branches of one
//     state are taken, given that the sleep set has those taken before it, in
//     progress or done.
//   - It keeps nothing across executions but in the nodes of the path (todo, done,
//     sleep). The rest it can build again from the path's events, or gives away as
//     a resumer.
//   - Where it changes todo of a node that may not be the last one, it calls
//     backtrack.own before.
//
// Soundness. Let branches of a state be ordered by when they were taken. The
// branch taken later has those taken before in its sleep set, as in the search
// that isn't divided. Some of them are still in progress. That makes no
// difference to the tree: sleep sets compare what they did first, which is known
// when they are taken.
//
// A sequence v that a race gives is left out if a branch that is asleep, done or in
// progress begins it. For one in progress the sequential search's argument for one
// that is done holds. By the end of the search, what it leads to that doesn't begin
// with something taken before has been explored. Sequences that begin with that
// were covered from there, by induction over the order. That is the theorem of
// source-DPOR (JACM 2017, §5.3), which holds for any sleep set, whatever is
// explored first. Its proof compares at the end of the exploration of a state. A
// shared state is left only when nothing is planned or in progress there and the
// results of all units below it are merged. That results come late does no harm:
// what covered a sequence when it was left out still does, for planned branches are
// only ever taken, and taken ones finished.
//
// Optimal-DPOR takes more for covered: what a sleeping step only commutes with,
// too. That holds because all that the sleeping step led to was put into the
// wakeup tree before the branch beside it was taken. For a step that was still
// in progress it doesn't hold. So such a step sleeps as a stray (wakeup.go), for
// which source-DPOR's rule is used. That may cost runs that turn out redundant.
// So may the merge: two units of a batch may want the same in other words, of
// which it sees only those that begin alike (plan).
//
// So each trace is run at least once, and by the sleep sets at most once:
// complete executions and final states are those of the search that isn't
// divided. Blocked and transitions are as well, if all branches are known from
// the start (none, sleep, bounded).

// sharedState is a state on the way to a unit.
//
// Invariants: while a batch is under way, a state with several units below it
// isn't changed. Those of done and sleep never change. Each way begins at a
// root.
type sharedState struct {
	up *sharedState // nil at a root
	// How the state before leads here.
	thread trace.TID
	choice trace.Choice
	last   uint64 // the thread's instruction number after it

	depth  int32
	strays int32
	sleep  []*branch
	todo   *branch
	done   *branch // taken: explored, or in progress
	over   *branch // refused: over the bound
	active int     // of those, in progress
	ended  bool

	batch  int     // the last one in which it was looked at
	weight float64 // the share of the tree of one of its branches, at batch
}

// finish notes that nothing is left below a branch taken from j.
func (j *sharedState) finish(t trace.TID, c trace.Choice) {
	j.active--
	find(j.done, t, c).finished = true
}

// treeUnit is a unit: the work of a walk in a batch from where it stands.
type treeUnit struct {
	tree *treeDivision
	tip  *sharedState // where it goes on
	// takes: it takes one branch of tip's, below which others are too.
	takes bool
	// chunk is the plan at tip, if no unit was there before.
	chunk *chunk
	// old is the state that a resumer gave away at the end of the last batch.
	old *resumeState
	// form names what is in the part that the unit is in, if the batch is lent.
	form *treeForm

	// The results. over: nothing is left of it; its first step left the state from
	// (nil: it was all of a tree) and was thread's with choice.
	over   bool
	from   *sharedState
	thread trace.TID
	choice trace.Choice
	start  *sharedState // tip when the batch began
	taken  *branch      // the branch that takes has taken, nil: there was nothing
	todo   *branch      // the branch that it left planned in start
	plans  []plan
	cutOff map[int32]*frontier // by the bound that is iterated
	stats  Stats
}

// plan is a sequence that the branches of a state shall cover: each branch is
// to be run after the one before.
type plan struct {
	at    *sharedState
	chain []*branch
}

// treeDivision is a division: a search at rest between two batches.
type treeDivision struct {
	x         *explorer   // the search's own
	explorers []*explorer // one a worker
	workers   []Worker
	iteration *iteration // of a search that goes by ascending bound, else nil
	stats     Stats
	// whole: a snapshot of a search that isn't divided yet and has used this many steps.
	whole   bool
	used    uint64
	units   []*treeUnit
	orphans []*sharedState // something is left, and no unit is below
	batches int
}

// count implements division.
func (t *treeDivision) count(i int) { t.stats.add(t.units[i].stats) }

// deal implements division.
func (t *treeDivision) deal() (units []unit, err error) {
	room := t.x.opts.room()
	for room > len(t.units) && t.iteration != nil {
		chunk, err := t.iteration.nextChunk(len(t.units) == 0 && len(t.orphans) == 0)
		if err != nil {
			return nil, err
		}
		if chunk == nil {
			break
		}
		t.stats.Pruned -= uint64(len(chunk.ends))
		t.stats.Levels = uint64(t.iteration.level)
		t.units = append(t.units, &treeUnit{tree: t, tip: &sharedState{ended: true}, chunk: chunk})
	}
	t.split(room - len(t.units))
	for _, p := range t.units {
		units = append(units, p)
	}
	return units, nil
}

// split makes further units of branches left, those nearest to the root first.
func (t *treeDivision) split(room int) {
	if room <= 0 {
		return
	}
	t.batches++
	left := append([]*sharedState(nil), t.orphans...)
	for _, p := range t.units {
		for j := p.tip.up; j != nil && j.batch != t.batches; j = j.up {
			if j.batch = t.batches; j.todo != nil {
				left = append(left, j)
			}
		}
	}
	sort.SliceStable(left, func(i, k int) bool { return left[i].depth < left[k].depth })
	for _, j := range left[:min(room, len(left))] {
		p := &treeUnit{tree: t, tip: j, takes: j.active > 0}
		if p.takes {
			j.active++
		} else {
			t.orphans = slices.DeleteFunc(t.orphans, func(o *sharedState) bool { return o == j })
		}
		t.units = append(t.units, p)
	}
}

// merge implements division.
func (t *treeDivision) merge() error {
	for _, p := range t.units {
		if !p.takes {
			continue
		}
		p.start.todo = p.todo
		if p.taken == nil {
			p.start.active--
			continue
		}
		p.taken.next, p.start.done = p.start.done, p.taken
	}
	for _, p := range t.units {
		for _, n := range p.plans {
			n.at.cover(n.chain)
		}
		for v, f := range p.cutOff {
			if err := t.iteration.takeOver(v, f); err != nil {
				return err
			}
		}
	}
	going := t.units[:0]
	for _, p := range t.units {
		switch {
		case !p.over:
			p.takes, p.plans, p.cutOff, p.taken, p.todo = false, nil, nil, nil, nil
			going = append(going, p)
		case p.takes && p.taken == nil:
			t.settle(p.start)
		case p.from != nil:
			p.from.finish(p.thread, p.choice)
			t.settle(p.from)
		}
	}
	clear(t.units[len(going):])
	t.units = going
	return nil
}

// settle notes what is left of j after something below it is explored.
func (t *treeDivision) settle(j *sharedState) {
	for ; j != nil && j.active == 0; j = j.up {
		if j.todo != nil {
			t.orphans = append(t.orphans, j)
			return
		}
		if j.up != nil {
			j.up.finish(j.thread, j.choice)
		}
	}
}

// cover makes sure that what j leads to covers a chain. It adds nothing if a
// branch that was taken begins it. Else what is left of it goes below what is
// planned that begins it. (Insert of JACM 2017, Definition 6.3, of what of v was
// written down: a step that v only commutes with isn't seen to begin it.)
func (j *sharedState) cover(chain []*branch) {
	for b := j.done; b != nil; b = b.next {
		if begins(chain, b) >= 0 {
			return
		}
	}
	list := &j.todo
	for len(chain) > 0 {
		b, k := *list, -1
		for ; b != nil; b = b.next {
			if k = begins(chain, b); k >= 0 {
				break
			}
		}
		if b == nil {
			for _, c := range chain {
				add(list, c)
				list = &c.kids
			}
			return
		}
		if chain = slices.Delete(chain, k, k+1); b.kids == nil {
			return
		}
		list = &b.kids
	}
}

// begins returns the place of the step b in a chain that it is an initial of,
// or -1.
func begins(chain []*branch, b *branch) int {
	for k, c := range chain {
		if c.Thread != b.Thread {
			continue
		}
		if c.Choice != b.Choice {
			return -1
		}
		for _, before := range chain[:k] {
			if before.Dependent(&c.Event) {
				return -1
			}
		}
		return k
	}
	return -1
}

// progress implements division. The finished part lies below the branches explored
// at shared states.
func (t *treeDivision) progress() Progress {
	p := Progress{Stats: t.stats}
	if t.iteration != nil {
		if share, known := t.iteration.share(); known {
			p.Share = share
			return p
		}
	}
	if len(t.units) == 0 && len(t.orphans) == 0 {
		p.Share = 1
	}
	t.batches++
	for _, j := range t.orphans {
		p.Share += j.share(t.batches)
	}
	for _, u := range t.units {
		p.Share += u.tip.share(t.batches)
	}
	return p
}

// share is the share of the tree that is done at j and above, without what was
// asked for in the same batch already.
func (j *sharedState) share(batch int) (share float64) {
	var way []*sharedState
	for ; j != nil && j.batch != batch; j = j.up {
		way = append(way, j)
	}
	for _, j := range slices.Backward(way) {
		j.batch, j.weight = batch, 1
		if j.up != nil {
			j.weight = j.up.weight
		}
		over := 0
		for b := j.done; b != nil; b = b.next {
			if b.finished {
				over++
			}
		}
		if known := count(j.todo) + count(j.done); known > 0 {
			j.weight /= float64(known)
		}
		share += j.weight * float64(over)
	}
	return share
}
