package por

import (
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// observers makes of a System another one, in which two stores of the same bytes have the same
// effect in both orders. Memory holds all stores that could be the last, and a read has an
// outcome for each of them. That is the equivalence of Aronis, Jonsson, Lång and Sagonas
// ("Optimal dynamic partial order reduction with observers", TACAS 2018). Two stores race only if
// a read, the observer, tells which came later. Optimal-DPOR over this system runs each of its
// traces once.
//
// Deviation: in the paper a race of two stores is found when the observer is run. A
// sequence that ends with the observer reverses it, and sleeping steps are judged
// with such sequences. Here that is all in the outcomes of the read, which optimal
// has anyway.
//
// A *storeCell* is bytes whose accesses so far were all of exactly these bytes, each the
// only event of its step. The stores of other bytes keep their orders. Where more is
// learned of a byte the search begins again (observerscells.go).
//
// Happens-before is the path's order: without an edge between two stores of a cell. The
// *last candidates* of a read are the stores of its cell that no other one happens after.
// If there are several, the outcome that is taken is named by the thread of the one that
// is read. It *settles* that all other candidates came before: one more constraint on the
// order in which the path's events can have been. An outcome is possible unless the
// constraints have a cycle with it. So the path, with its constraints, has an order in
// which each read finds the store that it is named by. In such an order sys has taken the
// steps (observersrun.go): no value is ever given to a read.
//
// Optimal asks three things of such outcomes. Each execution has one of them. They are
// named the same wherever the same happens before the read. All that are possible behind
// other steps that are independent of the read are possible before them. A constraint of
// another read may take outcomes away, but never the last: of stores between which there
// is no cycle yet one is the maximum. It makes no difference in which order two reads take
// theirs from each other, since what counts is whether all constraints together have a
// cycle.
//
// A read e' that is reversed has new candidates in its new place. outcomes counts those
// that are possible together with all of v. Let c and c' be outcomes of e' in both places.
// One of any candidates of another read is possible both with c and with c'. If c takes
// some away, then because one that it leaves comes after c's store. c' leaves that one too,
// or it would come before a store of the cell that isn't before c's. So c isn't lost where
// some later read of v takes it away: another execution with the same e' has that read's
// other outcome. The race stays open for it.
type observers struct {
	cells
	sys     System
	order   *relation.Order // of the path
	stats   *Stats
	steps   []*taken // of the path
	settled []settled
	marks   []int // how many steps there were
	real    real
	threads []trace.Thread               // of the present state
	named   map[trace.TID][]trace.Choice // the outcomes of their next steps, of those that are Named
	err     error                        // of steps that were repeated
	// lost: points became finer, or cells were given up, and what is run now is void.
	lost  bool
	fault fault

	// reads: loads and stores have no order either, but that of a load and the store that it
	// finds (sources.go).
	reads  bool
	at     []int32 // where in the present order the path's steps are
	clock  []int32
	puzzle puzzle
}

// taken is a step of the path.
type taken struct {
	trace.Transition
	inner   trace.Choice // as sys has it
	cell    *storeCell   // of its access, nil if that isn't of one
	before  []int32      // cell.stores before
	settled int          // len(observers.settled) before
	fresh   bool         // its effects aren't known yet
}

// settled is a read's finding: of the stores, last is the last.
type settled struct {
	read, last int32
	stores     []int32
}

func newObservers(sys System, order *relation.Order, stats *Stats, f fault) *observers {
	o := &observers{cells: newCells(), sys: sys, order: order, stats: stats, fault: f, named: map[trace.TID][]trace.Choice{}}
	o.real.states = append(o.real.states, realState{running: trace.NoThread})
	o.threads = sys.Threads(nil)
	return o
}

// Threads implements System.
func (o *observers) Threads(dst []trace.Thread) []trace.Thread {
	first := len(dst)
	dst = append(dst, o.threads...)
	for i := first; i < len(dst) && !o.lost; i++ {
		t := &dst[i]
		switch a := o.lone(t); {
		case a == nil:
			if t.PendingAccess.Flags&trace.RMW != 0 {
				t.PendingAccess.SetBlend(trace.NoBlend)
			}
		case stores(a):
			if unordered(a); o.reads {
				o.open(a) // if it is given up, the step has another name
				t.Named, o.named[t.ID] = true, []trace.Choice{o.next(t.ID)}
			}
		case o.reads:
			if loads(a) {
				a.Flags |= trace.Unordered
				ways := o.sources(t.ID, o.open(a))
				t.Named, t.Outcomes, o.named[t.ID] = true, uint32(len(ways)), ways
			}
		default:
			ways := o.ways(o.cells.at(a))
			t.Named, t.Outcomes = ways != nil, uint32(max(len(ways), 1))
			o.named[t.ID] = ways
		}
	}
	return dst
}

// lone is the access of a cell that thread t is about to make, nil if there is none.
func (o *observers) lone(t *trace.Thread) *trace.Access {
	if t.Status == trace.Ready && t.Outcomes == 1 && t.Pending.Kind == trace.OpAccess && t.Beside.Kind == trace.OpNone && !t.Loose && o.isCell(&t.PendingAccess) {
		return &t.PendingAccess
	}
	return nil
}

// stores reports whether an access stores, and uses nothing that it reads.
func stores(a *trace.Access) bool {
	return a.Flags&(trace.Write|trace.RMW) == trace.Write || a.Blends() == trace.BlendStore
}

// unordered makes a, which stores, a store without an order.
func unordered(a *trace.Access) {
	if a.Flags&trace.RMW != 0 {
		a.Flags &^= trace.RMW
		a.SetBlend(trace.NoBlend)
	}
	a.Flags |= trace.Unordered
}

// ways are the outcomes that a read of c may have in the present state. It is nil if
// there is only one, and would be with other outcomes of other reads.
func (o *observers) ways(c *storeCell) (list []trace.Choice) {
	if c == nil {
		return nil
	}
	if last := o.lasts(c.stores); len(last) > 1 {
		return o.possible(last, func(int32) bool { return true })
	}
	return nil
}

// lasts are those of the stores after which no other happens, newest first.
func (o *observers) lasts(stores []int32) (last []int32) {
	for _, i := range slices.Backward(stores) {
		if !slices.ContainsFunc(last, func(j int32) bool { return o.order.Before(i, j) }) {
			last = append(last, i)
		}
	}
	return last
}

// possible names those of several last candidates that could be the last, as far as the
// reads say that count.
func (o *observers) possible(last []int32, counts func(read int32) bool) (list []trace.Choice) {
	for _, i := range last {
		if !slices.ContainsFunc(last, func(j int32) bool { return i != j && o.leads(i, j, counts) }) || o.fault == freeReads {
			list = append(list, named(o.order.Thread(i)))
		}
	}
	return list
}

// named is the outcome of a read that finds what thread t stored.
func named(t trace.TID) trace.Choice { return trace.Choice(t) + 1 }

// before reports whether event i is event j or happens before it.
func (o *observers) before(i, j int32) bool { return i == j || i < j && o.order.Before(i, j) }

// leads reports whether event i comes before event j by the constraints of the reads that count.
func (o *observers) leads(i, j int32, counts func(read int32) bool) bool {
	used := make([]bool, len(o.settled))
	for queue := []int32{i}; len(queue) > 0; {
		i, queue = queue[len(queue)-1], queue[:len(queue)-1]
		for k := range o.settled {
			s := &o.settled[k]
			if used[k] || !counts(s.read) || !o.precedes(i, s) {
				continue
			}
			if o.before(s.last, j) {
				return true
			}
			used[k] = true
			queue = append(queue, s.last)
		}
	}
	return false
}

// precedes reports whether event i happens before a store that s says isn't the last, or is it.
func (o *observers) precedes(i int32, s *settled) bool {
	return slices.ContainsFunc(s.stores, func(j int32) bool { return j != s.last && o.before(i, j) })
}

// outcomes are those that v's last step may have in its new place, if it reads a cell.
// Outcomes are open if another execution with the same steps up to this one may have others.
func (o *observers) outcomes(v *relation.Sequence) (list []trace.Choice, open, reads bool) {
	e := &v.Last.Event
	if len(e.Accesses) != 1 || stores(&e.Accesses[0]) || !o.isCell(&e.Accesses[0]) {
		return nil, false, false
	}
	c := o.cells.at(&e.Accesses[0])
	if c == nil {
		return []trace.Choice{0}, false, true
	}
	k, _ := slices.BinarySearch(c.all, v.From)
	found := c.stores
	if k < len(c.all) {
		found = o.steps[c.all[k]].before
	}
	found = slices.Clone(found)
	for _, i := range c.all[k:] {
		if v.Has(i) && i < v.End() {
			found = append(found, i)
		}
	}
	last := o.lasts(found)
	if len(last) <= 1 {
		return []trace.Choice{0}, false, true
	}
	list = o.possible(last, v.Has)
	early := o.possible(last, func(i int32) bool { return v.Has(i) && i < v.End() })
	return list, len(early) > len(list), true
}

// excluded reports whether the newest step, the path's of number i, can't have this outcome
// after another step that sleeps before it or was explored there. That is so for a read
// that finds a store which then comes after the one that the outcome names.
func (o *observers) excluded(i int32, way trace.Choice, p *path) bool {
	n := &p.nodes[i]
	if slices.ContainsFunc(p.sleepers(n), func(b *branch) bool { return o.excludes(i, way, &b.Step) }) {
		return true
	}
	for b := n.done; b != nil; b = b.next {
		if o.excludes(i, way, &b.Step) {
			return true
		}
	}
	return false
}

// excludes says so of step b.
func (o *observers) excludes(i int32, way trace.Choice, b *relation.Step) bool {
	s := o.steps[i]
	if s.cell == nil || b.Thread == s.Thread || len(b.Accesses) != 1 {
		return false
	}
	if o.reads {
		return b.Loads() && !o.poseAlso(i, way, b)
	}
	c := o.cells.at(&b.Accesses[0])
	if c == nil || b.Choice == 0 || stores(&b.Accesses[0]) {
		return false
	}
	last := o.lasts(c.stores)
	k := slices.IndexFunc(last, func(j int32) bool { return named(o.steps[j].Thread) == b.Choice })
	if k < 0 {
		return false
	}
	all := o.settled
	o.settled = append(slices.Clip(all), settled{-1, last[k], last})
	goes := slices.Contains(o.possible(o.lasts(s.before), func(read int32) bool { return read != i }), way)
	o.settled = all
	return !goes
}

// Step implements System.
func (o *observers) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	if o.err != nil {
		return nil, o.err
	}
	s, inner := o.room(), c
	s.settled = len(o.settled)
	if th := thread(o.threads, t); th.Outcomes == 1 {
		inner = 0
		a := o.lone(th)
		if o.reads && a != nil && loads(a) && !o.lost {
			return o.load(s, t, o.cells.at(a), c)
		}
		if a != nil && c > 0 && !o.lost && !o.reads {
			if err := o.settle(o.lasts(o.cells.at(a).stores), c); err != nil {
				return nil, err
			}
		}
	}
	tr, err := o.take(t, inner, int32(len(o.steps)))
	if tr == nil {
		return nil, err
	}
	s.keep(tr)
	s.Choice, s.inner = c, inner
	if o.enter(s) || err != nil {
		o.lost = true
	}
	if o.lost && err == nil {
		err = ErrFiner
	}
	return &s.Transition, err
}

// settle has the read that comes next find the store that c names.
func (o *observers) settle(last []int32, c trace.Choice) error {
	k := slices.IndexFunc(last, func(i int32) bool { return named(o.steps[i].Thread) == c })
	if k < 0 {
		return errUnrepeated
	}
	o.settled = append(o.settled, settled{int32(len(o.steps)), last[k], last})
	return o.rearrange(last[k], last)
}

// enter makes s the path's last step, and reports whether cells were given up for it.
func (o *observers) enter(s *taken) (news bool) {
	n := int32(len(o.steps))
	o.steps, s.cell = append(o.steps, s), nil
	if a := s.lone(); a != nil && o.isCell(a) && (!o.reads || stores(a) || loads(a)) {
		c := o.open(a)
		s.cell, s.before = c, c.stores
		if stores(a) {
			unordered(a)
		} else if o.reads {
			a.Flags |= trace.Unordered
		}
		if a.IsWrite() {
			c.all = append(c.all, n)
			c.stores = append(slices.DeleteFunc(slices.Clone(c.stores), func(i int32) bool { return o.steps[i].Thread == s.Thread }), n)
		}
	} else {
		for i := range s.Accesses {
			a := &s.Accesses[i]
			if a.Flags&trace.RMW != 0 {
				a.SetBlend(trace.NoBlend)
			}
			news = o.giveUp(a.Addr, uint64(a.Size)) || news
		}
	}
	for i := range s.Ops {
		if op := &s.Ops[i]; op.Kind != trace.OpFree && op.Kind != trace.OpReuse {
			news = o.giveUp(op.Obj, uint64(op.Size)) || news
		}
	}
	for i := range o.threads {
		for _, a := range o.threads[i].Waits {
			news = o.giveUp(a.Addr, uint64(a.Size)) || news
		}
	}
	return news
}

// leave takes back the steps from number n on.
func (o *observers) leave(n int) {
	for i := len(o.steps) - 1; i >= n; i-- {
		s := o.steps[i]
		if o.settled = o.settled[:s.settled]; s.cell == nil {
			continue
		}
		if s.cell.stores = s.before; s.Accesses[0].IsWrite() {
			s.cell.all = s.cell.all[:len(s.cell.all)-1]
		}
	}
	o.steps = o.steps[:n]
}

// lone is the access of the step, if that is all that it is; else nil.
func (s *taken) lone() *trace.Access {
	for i := range s.Ops {
		if s.Ops[i].Kind != trace.OpExit {
			return nil
		}
	}
	if len(s.Accesses) != 1 || s.Loose || s.inner != 0 || s.End >= trace.EndProcess {
		return nil
	}
	return &s.Accesses[0]
}

// room is a step to be filled.
func (o *observers) room() *taken {
	n := len(o.steps)
	if n == cap(o.steps) {
		o.steps = append(o.steps, nil)[:n]
	}
	if s := o.steps[:n+1][n]; s != nil {
		return s
	}
	return new(taken)
}

// keep makes s a copy of what sys did.
func (s *taken) keep(tr *trace.Transition) {
	accesses, ops, wakes := s.Accesses[:0], s.Ops[:0], s.Wakes[:0]
	s.Transition = *tr
	s.Accesses, s.Ops, s.Wakes = append(accesses, tr.Accesses...), append(ops, tr.Ops...), append(wakes, tr.Wakes...)
}

// thread is thread t of a list.
func thread(list []trace.Thread, t trace.TID) *trace.Thread {
	return &list[slices.IndexFunc(list, func(th trace.Thread) bool { return th.ID == t })]
}
