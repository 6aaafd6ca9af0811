package trust

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// Which thread has the turn in a state of a graph, and which are passed over (doc.go).

// pass is a turn at which a thread couldn't go on: it was blocked before op, or
// the bound forbids what it would do.
type pass struct {
	thread trace.TID
	op     trace.Op
	access trace.Access // an await's, whose op is OpAccess
	loose  bool         // as trace.Thread has it
	held   *deed        // its next event, beyond the bound
	at     int32        // events before
	old    int32        // graph.passed before
}

// hold is a thread whose next event is beyond the bound: from there on, as it can
// only happen after more.
type hold struct {
	what *deed
	old  int32 // graph.held before
}

// take gives the turn, in the state s, to the first thread that can run, from
// s.turn on and round.
func (g *graph) take(s *step) {
	first := 0
	for first < len(g.threads) && g.threads[first].ID < s.turn {
		first++
	}
	for k := range g.threads {
		t := &g.threads[(first+k)%len(g.threads)]
		switch {
		case t.Status == trace.Ready:
			if t.Expiring && contends(t.Pending.Kind) { // as pending.expiring
				g.pass(pass{thread: t.ID, op: t.Pending, loose: t.Loose})
			}
			if held := g.holding(t.ID); held != nil {
				g.pass(pass{thread: t.ID, held: held})
				continue
			}
			s.next, s.outcomes = t.ID, t.Outcomes
			return
		case g.contending(t):
			g.pass(pass{thread: t.ID, op: t.Pending, loose: t.Loose, access: t.PendingAccess})
		}
	}
}

func (g *graph) pass(p pass) {
	p.at, p.old = int32(g.size()), g.passed[p.thread]
	g.passes = append(g.passes, p)
	g.passed[p.thread] = int32(len(g.passes))
}

// unpass takes back the passes from number n on.
func (g *graph) unpass(n int32) {
	for k := len(g.passes) - 1; k >= int(n); k-- {
		g.passed[g.passes[k].thread] = g.passes[k].old
	}
	g.passes = g.passes[:n]
}

// hold passes over the thread whose turn it is in the present state: what it
// would do, b, is beyond the bound.
func (g *graph) hold(b *deed) {
	s := g.tip()
	g.holds = append(g.holds, hold{b, g.held[b.Thread]})
	g.held[b.Thread] = int32(len(g.holds))
	g.unpass(s.passes)
	s.next = trace.NoThread
	g.take(s)
}

// holding is the next deed of thread t, if that is known to be beyond the bound:
// nil if it isn't.
func (g *graph) holding(t trace.TID) *deed {
	if k := g.held[t]; k > 0 {
		return g.holds[k-1].what
	}
	return nil
}

// contending reports whether thread t can't run now, and may have to thank another for it
// that came first.
func (g *graph) contending(t *trace.Thread) bool {
	return t.Status == trace.Blocked && contends(t.Pending.Kind) || t.Status == trace.Spinning && t.Awaits && g.awaits
}

// contends reports whether a thread that is blocked before an operation of kind
// k may have to thank another for it that came first. A join isn't so: it is
// possible from the thread's end on, for good.
func contends(k trace.OpKind) bool { return relation.Acquires(k) && k != trace.OpJoin }

// lastTurn is where thread t was last passed over before its next event, in events,
// before the graph had n: -1 if it wasn't.
func (g *graph) lastTurn(t trace.TID, n int) int32 {
	k := g.passed[t]
	for k > 0 && int(g.passes[k-1].at) >= n {
		k = g.passes[k-1].old
	}
	if k > 0 && g.passes[k-1].at > g.order.Last(t) {
		return g.passes[k-1].at
	}
	return -1
}
