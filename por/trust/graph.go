package trust

import (
	"errors"
	"fmt"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// graph is an execution graph G of a System, and the state of the System that
// has run it (see doc.go for what it means).
//
// Its events stand in the order in which they were added, the paper's <G. That
// is also the linearisation by which the System realises it: adding an event is
// a step, and taking one back is nothing but a Rewind before the next step.
type graph struct {
	sys    System
	awaits bool            // Config.Awaits
	order  *relation.Order // happens-before: the transitive closure of po, rf, co and fr
	// steps[:n] are the events, steps[i] with the state before it; steps[n] is
	// the state now, without an event.
	steps []step
	// at: steps[at] is the state in which sys stands. -1: after an end of the
	// process.
	at      int
	threads []trace.Thread // of the newest state that was observed
	ready   rows           // the threads that can run
	fails   rows           // those whose compare-and-exchange would fail

	spin  []int32 // per thread: index+1 in spins of its present spin
	spins []spun
	waits []trace.Access
	// passes are the turns of blocked threads; passed, per thread, index+1 of
	// its last.
	passes []pass
	passed []int32
	// holds are the threads that the bound keeps from going on; held, per
	// thread, index+1 of its last.
	holds []hold
	held  []int32
	// turned are the events that aren't what their thread does at its turn: the
	// revisits, and those with another outcome than the first. weak are those
	// that failed (step.weak).
	turned, weak []int32
	row          []int32 // scratch, a clock
	// finer: what was run so far is void.
	finer bool
	pool  pool
}

// step is an event of a graph, and the state before it.
type step struct {
	mark     trace.Mark
	marked   bool
	turn     trace.TID // from which on the next thread is looked for, NoThread for none
	next     trace.TID // the thread whose turn it is
	outcomes uint32    // of its step
	passes   int32     // len(passes) before the state's own
	holds    int32     // len(holds) before the state's own

	relation.Event                // its operation; a weak one stands for one that succeeded
	weak           bool           // it failed, and is ordered like a success (patched):
	did            relation.Event // this is what it did
	begin, last    uint64
	ways           uint32 // outcomes that it had
	added          origin
	// group: where the revisit that brought the event in begins, the place of
	// the event that was displaced.
	group int32
	// displaced is the thread's deed there at its turn, before the
	// revisit, at the revisiting event.
	displaced *deed
	redo      int32 // see Walk.next
	kept      *kept // the part that the revisit threw away, nil if it has to be made again
	rounds    int32 // of the graph up to this event, less one
	round     int32 // of the event
	taken     int32 // its round in the trace, see canonical.go

	// joining: the first thread stands before a join, and has done nothing but
	// join since its first round, unless it is active (Walk.latest).
	joining, active bool

	running     trace.TID // the thread of the event before
	couldGoOn   bool      // switching away from it is a preemption
	preemptions int32     // up to here
	spins       int32     // len(spins) before
	waits       int32     // len(waits) before
	spun        int32     // spin of the event's thread before
}

// origin is how an event came into a graph.
type origin uint8

const (
	inTurn    origin = iota // as the next event of the leftmost thread
	alongside               // before a revisiting event that happens after it
	revisits                // a revisit: it came before what the leftmost thread would have done
)

// reset makes the graph empty; sys stands at its root.
func (g *graph) reset() {
	for i := range g.steps {
		g.drop(&g.steps[i])
	}
	g.order = relation.NewClocks()
	g.steps = append(g.steps[:0], step{running: trace.NoThread})
	g.ready.reset()
	g.fails.reset()
	for i := range g.holds {
		g.pool.put(g.holds[i].what)
	}
	g.spins, g.waits, g.passes, g.holds, g.at = g.spins[:0], g.waits[:0], g.passes[:0], g.holds[:0], 0
	g.turned, g.weak = g.turned[:0], g.weak[:0]
	clear(g.spin)
	clear(g.passed)
	clear(g.held)
	g.observe(0)
}

func (g *graph) drop(s *step) {
	if s.displaced != nil {
		g.pool.put(s.displaced)
		s.displaced, s.kept = nil, nil
	}
}

// size is the number of events.
func (g *graph) size() int { return len(g.steps) - 1 }

// tip is the state now.
func (g *graph) tip() *step { return &g.steps[len(g.steps)-1] }

// rounds of the graph (rounder.go).
func (g *graph) rounds() int32 {
	if n := g.size(); n > 0 {
		return g.steps[n-1].rounds
	}
	return 0
}

// come brings sys to the tip, by a Rewind and, where that state wasn't marked,
// steps from the last one that was.
func (g *graph) come() (replayed int, err error) {
	n := g.size()
	if g.at == n {
		return 0, nil
	}
	from := n
	for !g.steps[from].marked {
		from--
	}
	g.sys.Rewind(g.steps[from].mark)
	for g.at = from; g.at < n; g.at++ {
		s := &g.steps[g.at]
		g.threads = g.sys.Threads(g.threads[:0])
		if _, ok := g.able(s.Thread); !ok {
			return replayed, g.lost(s.Thread)
		}
		t, err := g.sys.Step(s.Thread, s.Choice)
		if err != nil {
			return replayed, err
		}
		replayed++
		s.be(t, s.Event.Waits)
	}
	g.threads = g.sys.Threads(g.threads[:0])
	if s := g.tip(); !s.marked {
		s.mark, s.marked = g.sys.Mark(), true
	}
	return replayed, nil
}

// lost is the error of a step that isn't possible though it was before.
func (g *graph) lost(t trace.TID) error {
	return fmt.Errorf("search trust can't run thread %d again after %d steps, though nothing that it depends on has changed: use search optimal", t, g.at)
}

// add runs thread t, which can run in the state of the tip, where sys stands.
// turn is whose turn it is then.
func (g *graph) add(t trace.TID, c trace.Choice, turn trace.TID) (*trace.Transition, error) {
	n := g.size()
	if g.at != n {
		panic("por: a step of a graph in another state")
	}
	tr, err := g.sys.Step(t, c)
	if err != nil {
		if !errors.Is(err, trace.ErrFiner) || tr == nil {
			return nil, err
		}
		g.finer = true
	}
	g.enter(tr, c, turn)
	return tr, nil
}

// enter puts what sys just did at the end of the graph.
func (g *graph) enter(tr *trace.Transition, c trace.Choice, turn trace.TID) {
	n, t := g.size(), tr.Thread
	s := &g.steps[n]
	s.weak = g.patched(tr)
	s.be(tr, g.waitsOf(t))
	s.begin, s.last, s.added = tr.Begin, tr.Last, inTurn
	if c != 0 {
		g.turned = append(g.turned, int32(n))
	}
	if s.weak {
		g.weak = append(g.weak, int32(n))
	}
	s.spun, g.spin[t] = g.spin[t], 0
	g.place(s)
	for _, w := range tr.Wakes {
		g.order.Wake(w)
	}
	next := step{running: t, preemptions: s.preemptions, active: s.active || t == 0 && s.round > 0 && !s.joins()}
	if s.couldGoOn && t != s.running {
		next.preemptions++
	}
	g.steps = append(g.steps, next)
	g.at = n + 1
	g.observe(turn)
	if tr.End == trace.EndProcess || tr.End == trace.EndBug {
		g.at = -1
	}
}

// place puts the event of s at the end of the order, and into its round.
func (g *graph) place(s *step) {
	o := g.order
	g.widen(int(s.Thread) + 1)
	s.rounds, s.round = g.rounds(), 0
	if l := o.Last(s.Thread); l >= 0 {
		s.after(&g.steps[l])
	}
	for c := range o.Wakers(s.Thread) {
		s.after(&g.steps[c])
	}
	o.Push(&s.Event, trace.Op{})
	for _, c := range o.Direct() {
		s.after(&g.steps[c])
	}
	s.rounds = max(s.rounds, s.round)
}

// pop takes the newest event back. Its step stays readable, above the tip,
// until the next add, and what it points to until sys is rewound.
func (g *graph) pop() *step { return g.lift(g.pool.put) }

// lift is pop; free gets what was held in the state that is left.
func (g *graph) lift(free func(*deed)) *step {
	top := g.tip()
	for _, s := range g.spins[top.spins:] {
		g.spin[s.thread] = 0
	}
	g.spins, g.waits = g.spins[:top.spins], g.waits[:top.waits]
	g.unpass(top.passes)
	for k := len(g.holds) - 1; k >= int(top.holds); k-- {
		g.held[g.holds[k].what.Thread] = g.holds[k].old
		free(g.holds[k].what)
	}
	g.holds = g.holds[:top.holds]
	g.steps = g.steps[:len(g.steps)-1]
	n := int32(g.size())
	g.turned, g.weak = without(g.turned, n), without(g.weak, n)
	s := g.tip()
	g.spin[s.Thread] = s.spun
	g.order.Pop()
	g.ready.cut(len(g.steps))
	g.fails.cut(len(g.steps))
	return s
}

// turns makes the newest event a revisit. It displaces the event r of the
// thread whose turn it was.
func (g *graph) turns(r, redo int32, displaced *deed) {
	n := g.size() - 1
	s := &g.steps[n]
	s.added, s.group, s.redo, s.displaced = revisits, r, redo, displaced
	if s.Choice == 0 {
		g.turned = append(g.turned, int32(n))
	}
}

// without takes n off the end of an ascending list, if it is there.
func without(list []int32, n int32) []int32 {
	if k := len(list); k > 0 && list[k-1] == n {
		return list[:k-1]
	}
	return list
}

// base is the clock of what has to be in a graph before thread t's next event:
// its own events and what woke it since.
func (g *graph) base(dst []int32, t trace.TID) []int32 {
	dst = atLeast(dst, g.order.Width())
	g.order.Base(dst, t)
	return dst
}

// be makes s's event what t did, after a spin that read waits.
func (s *step) be(t *trace.Transition, waits []trace.Access) {
	s.Event = relation.NewEvent(t)
	s.Event.Waits = waits
	if s.weak {
		var may relation.Step
		may.Copy(&s.Event)
		may.Blur(!s.Loose)
		s.did, s.Event = s.Event, may.Event
		for i := range s.Accesses {
			if a := &s.Accesses[i]; a.IsWrite() {
				a.Flags |= trace.RMW
			}
		}
		s.Event.Wild = false
	}
}

// patched reports whether t's step is a failed compare-and-exchange that is ordered like one that
// succeeds (doc.go).
func (g *graph) patched(t *trace.Transition) bool {
	for i := range t.Accesses {
		if a := &t.Accesses[i]; a.Flags&trace.FailedCAS != 0 {
			g.row = g.base(g.row[:0], t.Thread)
			if g.order.Patched(a, g.row) {
				return true
			}
		}
	}
	return false
}
