package por

import (
	"errors"

	"landgo/trace"
)

// explorer is the depth-first walk that all searches share: it runs, rewinds
// and counts. A strategy says which branches a state has.
//
// The walk of one execution: enter a state (open); take its next branch; step;
// enter the state after; and so on to a state where nobody can run or every
// branch is redundant (end). Then leave states, newest first, until one has a
// branch left, rewind to it, and go on from there.
type explorer struct {
	sys   System
	obs   Observer
	opts  Options
	strat strategy
	stats Stats

	nodes   []node // nodes[i] is the state before event i; the last is the current one
	at      int    // the state in which sys stands, -1: after an end of the process
	threads []trace.Thread
	ready   []uint64  // bit sets of the states' ready threads, words each
	words   int       // of a bit set
	sleep   []*branch // the states' sleep sets, end to end
	choices []choice  // threads with several outcomes, per state
	spins   []spin    // spinning threads and their reads
	spin    []int32   // per thread: index+1 in spins
	waits   []trace.Access
	insns   []uint64 // per thread: its instruction number in the current path

	order *order // nil if the strategy doesn't need it
	pool  pool

	sleeps  bool
	bound   int // of preemptions, -1: none
	fresh   int // count only what has at least this many preemptions
	stopped bool
	finer   bool
	polled  uint32
	ended   Execution
	readyFn readiness
}

// strategy is what makes a search: which branches each state has.
type strategy interface {
	// seed fills the branches of a new state, of which kids are wanted by a
	// wakeup tree. Somebody is ready there.
	seed(n *node, kids *branch)
	// ran is told of each new event, before the state after it is entered.
	ran(i int32)
	// end is told of each end of an execution.
	end(e Ending)
	// reset is told of a start from the root.
	reset()
	// uses says what the explorer has to keep: happens-before order, sleep
	// sets, and whether each outcome of a step is a branch of its own from the
	// start.
	uses() (order, sleep bool)
}

type node struct {
	mark        trace.Mark
	marked      bool
	cur         *branch // the branch that is being explored: event i
	todo        *branch // to be explored, in order
	done        *branch // explored
	begin, last uint64
	running     trace.TID // the thread of the event before
	couldGoOn   bool      // switching away from it is a preemption
	preemptions int       // up to here
	sleeps      int32     // x.sleep[sleeps:slept] is the sleep set
	slept       int32
	strays      int32 // of those, the first are strays (wakeup.go)
	choices     int32 // len(x.choices) before
	spins       int32 // len(x.spins) before
	seen        int32 // len(x.waits) before
	depth       int32
	ended       bool   // an execution ended here
	ending      Ending // how, if nothing is left to explore from the start
}

type choice struct {
	thread   trace.TID
	outcomes uint32
}

type spin struct {
	thread trace.TID
	lo, hi int32 // in waits
	old    int32
}

func newExplorer(sys System, obs Observer, opts Options, strat func(*explorer) strategy) *explorer {
	x := &explorer{sys: sys, obs: obs, opts: opts, bound: -1, words: 1}
	x.ended.x = x
	x.strat = strat(x)
	x.readyFn = func(at int32, t trace.TID) bool { return x.isReady(int(at), t) }
	return x
}

func (x *explorer) depth() int { return len(x.nodes) - 1 }

// run explores everything, again from the start whenever points became finer.
func (x *explorer) run() error {
	root := x.sys.Mark()
	for {
		x.reset()
		if err := x.walk(); err != nil {
			return err
		}
		x.sys.Rewind(root)
		if !x.finer {
			return nil
		}
		x.stats = Stats{Restarts: x.stats.Restarts + 1}
		x.finer = false
		x.obs.Restarted()
		if x.fresh > 0 {
			return nil // iterate starts again
		}
	}
}

func (x *explorer) reset() {
	for i := range x.nodes {
		n := &x.nodes[i]
		x.pool.putAll(n.todo)
		x.pool.putAll(n.done)
		x.pool.putAll(n.cur)
		*n = node{}
	}
	x.nodes, x.ready, x.sleep, x.choices = x.nodes[:0], x.ready[:0], x.sleep[:0], x.choices[:0]
	x.spins, x.waits = x.spins[:0], x.waits[:0]
	clear(x.spin)
	clear(x.insns)
	order, sleep := x.strat.uses()
	if x.sleeps = sleep; order {
		x.order = newOrder()
	}
	x.strat.reset()
}

func (x *explorer) walk() error {
	x.at = 0
	x.open(nil)
	for !x.stopped && !x.finer {
		n := &x.nodes[len(x.nodes)-1]
		b := x.take(n)
		if b == nil {
			if n.done == nil && !n.ended {
				x.end(EndedBlocked)
			}
			if len(x.nodes) == 1 {
				x.stats.Complete = true
				return nil
			}
			x.close()
			continue
		}
		if err := x.step(n, b); err != nil {
			return err
		}
	}
	return nil
}

// open enters the state in which sys stands; kids are the branches that a
// wakeup tree wants there.
func (x *explorer) open(kids *branch) {
	i := len(x.nodes)
	if i < cap(x.nodes) {
		x.nodes = x.nodes[:i+1]
	} else {
		x.nodes = append(x.nodes, node{})
	}
	n := &x.nodes[i]
	*n = node{depth: int32(i), running: trace.NoThread, ending: EndedBlocked, sleeps: int32(len(x.sleep)), slept: int32(len(x.sleep)),
		choices: int32(len(x.choices)), spins: int32(len(x.spins)), seen: int32(len(x.waits))}
	x.at = i
	able := x.observe(n)
	if i > 0 {
		x.inherit(n, &x.nodes[i-1])
	}
	if able == 0 {
		x.pool.putAll(kids)
		ending := EndedProcess
		for k := range x.threads {
			if x.threads[k].Status != trace.Exited {
				ending = EndedStuck
			}
		}
		x.end(ending)
		return
	}
	if able > 1 || len(x.choices) > int(n.choices) {
		n.mark, n.marked = x.sys.Mark(), true
	}
	x.strat.seed(n, kids)
	if n.todo == nil {
		x.end(n.ending)
	}
}

// observe reads the threads' status in the state of n and returns the number
// of those that can run.
func (x *explorer) observe(n *node) (able int) {
	x.threads = x.sys.Threads(x.threads[:0])
	if len(x.threads) > 0 {
		x.widen(int(x.threads[len(x.threads)-1].ID) + 1)
	}
	i := int(n.depth)
	for len(x.ready) < (i+1)*x.words {
		x.ready = append(x.ready, 0)
	}
	set := x.ready[i*x.words : (i+1)*x.words]
	clear(set)
	if i > 0 {
		n.running = x.nodes[i-1].cur.thread
		n.preemptions = x.nodes[i-1].preemptions
		if x.nodes[i-1].preempting(n.running) {
			n.preemptions++
		}
	}
	for k := range x.threads {
		t := &x.threads[k]
		switch t.Status {
		case trace.Ready:
			able++
			set[t.ID/64] |= 1 << (t.ID % 64)
			if t.Outcomes > 1 {
				x.choices = append(x.choices, choice{t.ID, t.Outcomes})
			}
			if t.ID == n.running {
				k := t.Pending.Kind
				n.couldGoOn = !t.Yielding && k != trace.OpExit && k != trace.OpEnd
			}
			x.letOn(n, t)
		case trace.Spinning:
			if x.order != nil && x.spin[t.ID] == 0 {
				lo := int32(len(x.waits))
				x.waits = append(x.waits, t.Waits...)
				x.spins = append(x.spins, spin{t.ID, lo, int32(len(x.waits)), 0})
				x.spin[t.ID] = int32(len(x.spins))
			}
		}
	}
	return able
}

// letOn gives a thread that the last event let go on an edge of the order from
// that event, if it says nothing of it itself: where a thread waits for
// something that isn't disabled again, what enabled it came before.
func (x *explorer) letOn(n *node, t *trace.Thread) {
	i := int(n.depth)
	if x.order == nil || i == 0 || t.ID == n.running || x.order.last[t.ID] == 0 || x.isReady(i-1, t.ID) {
		return
	}
	if t.Pending.Kind != trace.OpAccess && !acquires[t.Pending.Kind] {
		x.order.wakesUp(t.ID)
	}
}

func (x *explorer) widen(n int) {
	for len(x.spin) < n {
		x.spin, x.insns = append(x.spin, 0), append(x.insns, 0)
	}
	if x.order != nil {
		x.order.widen(n)
	}
	w := (n + 63) / 64
	if w <= x.words {
		return
	}
	ready := make([]uint64, len(x.ready)/x.words*w)
	for i := 0; i < len(x.ready)/x.words; i++ {
		copy(ready[i*w:], x.ready[i*x.words:(i+1)*x.words])
	}
	x.ready, x.words = ready, w
}

func (x *explorer) isReady(i int, t trace.TID) bool {
	w := int(t) / 64
	return w < x.words && x.ready[i*x.words+w]>>(uint(t)%64)&1 != 0
}

// outcomes is the number of outcomes of ready thread t's step in the state of
// n.
func (x *explorer) outcomes(n *node, t trace.TID) trace.Choice {
	hi := int32(len(x.choices))
	if int(n.depth)+1 < len(x.nodes) {
		hi = x.nodes[n.depth+1].choices
	}
	for _, c := range x.choices[n.choices:hi] {
		if c.thread == t {
			return trace.Choice(c.outcomes)
		}
	}
	return 1
}

// preempting reports whether running t in the state of n is a preemption.
func (n *node) preempting(t trace.TID) bool { return n.couldGoOn && t != n.running }

// take removes the next branch to explore from n's, nil if there is none.
func (x *explorer) take(n *node) *branch {
	for n.todo != nil {
		b := n.todo
		n.todo, b.next = b.next, nil
		if b.last != 0 && b.last < x.insns[b.thread] {
			// An earlier step went beyond this one: what follows it comes now.
			add(&b.kids, n.todo)
			n.todo, b.kids = b.kids, nil
			x.pool.put(b)
			continue
		}
		if !x.isReady(int(n.depth), b.thread) || b.choice >= x.outcomes(n, b.thread) || x.asleep(n, b.thread, b.choice) {
			// The reversed step isn't possible after all (a wait that ended for
			// another reason, a choice that isn't there), or turns out
			// redundant. What was taken for covered by it may not be: explore
			// everything here.
			x.pool.putAll(b)
			x.anyAll(n)
			continue
		}
		return b
	}
	return nil
}

// anyway adds the default branch that isn't asleep, done or planned, if any.
func (x *explorer) anyway(n *node) {
	if t, c, ok := x.arbitrary(n); ok && find(n.todo, t, c) == nil {
		add(&n.todo, x.pool.named(t, c))
	}
}

// anyThread adds what t can do in n unless it is asleep, done or planned.
func (x *explorer) anyThread(n *node, t trace.TID) {
	if !x.isReady(int(n.depth), t) {
		return
	}
	for c := trace.Choice(0); c < x.outcomes(n, t); c++ {
		if !x.asleep(n, t, c) && find(n.done, t, c) == nil && find(n.todo, t, c) == nil && (n.cur == nil || n.cur.thread != t || n.cur.choice != c) {
			add(&n.todo, x.pool.named(t, c))
		}
	}
}

// anyAll does so for all threads.
func (x *explorer) anyAll(n *node) {
	for t := trace.TID(0); int(t) < x.words*64; t++ {
		x.anyThread(n, t)
	}
}

// arbitrary is the default way on from n: the running thread if it is ready,
// else the first that is, leaving out what is asleep or explored.
func (x *explorer) arbitrary(n *node) (trace.TID, trace.Choice, bool) {
	if n.running != trace.NoThread && x.isReady(int(n.depth), n.running) {
		if c, ok := x.awake(n, n.running); ok {
			return n.running, c, true
		}
	}
	for t := trace.TID(0); int(t) < x.words*64; t++ {
		if x.isReady(int(n.depth), t) {
			if c, ok := x.awake(n, t); ok {
				return t, c, true
			}
		}
	}
	return 0, 0, false
}

// awake returns the first outcome of ready thread t's step that isn't asleep
// or explored.
func (x *explorer) awake(n *node, t trace.TID) (trace.Choice, bool) {
	for c := trace.Choice(0); c < x.outcomes(n, t); c++ {
		if !x.asleep(n, t, c) && find(n.done, t, c) == nil {
			return c, true
		}
	}
	return 0, false
}

func (x *explorer) asleep(n *node, t trace.TID, c trace.Choice) bool {
	for _, b := range x.sleep[n.sleeps:n.slept] {
		if b.thread == t && b.choice == c {
			return true
		}
	}
	return false
}

// step runs branch b from n and enters the state after it.
func (x *explorer) step(n *node, b *branch) error {
	i := int(n.depth)
	if x.at != i {
		if !n.marked {
			panic("por: no mark at a state with a branch left")
		}
		x.sys.Rewind(n.mark)
		x.at = i
		x.threads = x.sys.Threads(x.threads[:0])
	}
	var first trace.Op
	for k := range x.threads {
		if x.threads[k].ID == b.thread {
			first = x.threads[k].Pending
		}
	}
	t, err := x.sys.Step(b.thread, b.choice)
	if err != nil {
		if !errors.Is(err, ErrFiner) || t == nil {
			return err
		}
		x.finer = true
	}
	x.count(n, b)
	kids, want := b.kids, b.last
	b.kids, b.last = nil, t.Last
	n.begin, n.last = t.Begin, t.Last
	if want > t.Last && want > t.Begin && t.Last > t.Begin {
		// The step ended before its name says: the rest of it comes first.
		rest := x.pool.named(b.thread, 0)
		rest.last, rest.kids = want, kids
		kids = rest
	}
	b.event = newEvent(t)
	if s := x.spin[b.thread]; s != 0 {
		b.event.waits = x.waits[x.spins[s-1].lo:x.spins[s-1].hi]
	}
	n.cur = b
	x.ended.Last = t
	x.insns[b.thread] = t.Last
	if x.order != nil {
		if len(t.Ops) > 0 && t.Ops[0].Kind == first.Kind {
			first = t.Ops[0]
		}
		x.order.push(&b.event, first, x.readyFn)
		for _, w := range t.Wakes {
			x.order.wakesUp(w)
		}
	}
	if s := x.spin[b.thread]; s != 0 {
		x.spins = append(x.spins, spin{b.thread, 0, 0, s})
		x.spin[b.thread] = 0
	}
	x.strat.ran(int32(i))
	if x.finer {
		return x.runOut(t)
	}
	if t.End == trace.EndProcess || t.End == trace.EndBug {
		x.pool.putAll(kids)
		x.endProcess(t)
		return nil
	}
	x.open(kids)
	return nil
}

// count counts a step.
func (x *explorer) count(n *node, b *branch) {
	p := n.preemptions
	if n.preempting(b.thread) {
		p++
	}
	if p < x.fresh {
		x.stats.Replayed++
	} else {
		x.stats.Transitions++
	}
	if x.polled++; x.polled&0xff == 0 && x.opts.Stop != nil && x.opts.Stop() {
		x.stopped = true
	}
	if x.polled&0xfff == 0 {
		x.obs.Progress(Progress{Stats: x.stats, Share: x.share()})
	}
}

// endProcess ends the execution at an end of the process: there is a node for
// the state after it, in which nobody is.
func (x *explorer) endProcess(t *trace.Transition) {
	i := len(x.nodes)
	if i < cap(x.nodes) {
		x.nodes = x.nodes[:i+1]
	} else {
		x.nodes = append(x.nodes, node{})
	}
	prev := &x.nodes[i-1]
	p := prev.preemptions
	if prev.preempting(t.Thread) {
		p++
	}
	x.nodes[i] = node{depth: int32(i), running: t.Thread, preemptions: p, sleeps: int32(len(x.sleep)), slept: int32(len(x.sleep)),
		choices: int32(len(x.choices)), spins: int32(len(x.spins)), seen: int32(len(x.waits))}
	x.at = -1
	for len(x.ready) < (i+1)*x.words {
		x.ready = append(x.ready, 0)
	}
	clear(x.ready[i*x.words : (i+1)*x.words])
	if t.End == trace.EndBug {
		x.end(EndedBug)
	} else {
		x.end(EndedProcess)
	}
}

// end counts and reports an end of an execution.
func (x *explorer) end(e Ending) {
	n := &x.nodes[len(x.nodes)-1]
	n.ended = true
	if n.preemptions >= x.fresh {
		switch e {
		case EndedBlocked:
			x.stats.Blocked++
		case EndedPruned: // counted with the branches cut
		default:
			x.stats.Executions++
		}
		x.ended.Ending, x.ended.Preemptions, x.ended.Threads = e, n.preemptions, x.threads
		if !x.obs.Ended(&x.ended) || x.opts.MaxExecutions > 0 && x.stats.Executions >= x.opts.MaxExecutions {
			x.stopped = true
		}
	}
	x.strat.end(e)
}

// close leaves the current state, of which nothing is left to explore, and
// with it the event that led there.
func (x *explorer) close() {
	n := &x.nodes[len(x.nodes)-1]
	x.pool.putAll(n.done)
	n.done = nil
	x.sleep, x.choices = x.sleep[:n.sleeps], x.choices[:n.choices]
	x.nodes = x.nodes[:len(x.nodes)-1]
	p := &x.nodes[len(x.nodes)-1]
	b := p.cur
	for k := len(x.spins) - 1; k >= int(n.spins); k-- {
		x.spin[x.spins[k].thread] = x.spins[k].old
	}
	x.spins, x.waits = x.spins[:n.spins], x.waits[:n.seen]
	if k := len(x.spins) - 1; k >= int(p.spins) && x.spins[k].old != 0 {
		x.spin[b.thread] = x.spins[k].old
		x.spins = x.spins[:k]
	}
	x.insns[b.thread] = p.begin
	if x.order != nil {
		x.order.pop()
	}
	p.cur = nil
	if p.todo != nil {
		b.keep()
	}
	b.next, p.done = p.done, b
}

// runOut lets the execution in which points became finer run to its end by the
// default order, so that more is learned for the new start.
func (x *explorer) runOut(t *trace.Transition) error {
	running := t.Thread
	for steps := 0; t.End != trace.EndProcess && t.End != trace.EndBug; steps++ {
		if steps&0xff == 0xff && x.opts.Stop != nil && x.opts.Stop() {
			x.stopped = true
			return nil
		}
		x.threads = x.sys.Threads(x.threads[:0])
		next := trace.NoThread
		for k := range x.threads {
			th := &x.threads[k]
			if th.Status == trace.Ready && (next == trace.NoThread || th.ID == running) {
				next = th.ID
			}
		}
		if next == trace.NoThread {
			return nil
		}
		var err error
		if t, err = x.sys.Step(next, 0); err != nil && (!errors.Is(err, ErrFiner) || t == nil) {
			return err
		}
		running = next
	}
	return nil
}
