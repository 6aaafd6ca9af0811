package trust

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// Which threads can go on at the end of a graph (graph.go).

type spun struct {
	thread trace.TID
	lo, hi int32
}

// observe reads the threads of the state in which sys stands, the tip. turn is
// the thread whose turn it is there, or NoThread.
func (g *graph) observe(turn trace.TID) {
	n := g.size()
	s := g.tip()
	s.turn, s.next, s.spins, s.waits = turn, trace.NoThread, int32(len(g.spins)), int32(len(g.waits))
	s.passes, s.holds = int32(len(g.passes)), int32(len(g.holds))
	ended := n > 0 && g.steps[n-1].Global && !g.steps[n-1].Advance
	if !ended {
		g.threads = g.sys.Threads(g.threads[:0])
	}
	if k := len(g.threads); k > 0 {
		g.widen(int(g.threads[k-1].ID) + 1)
	}
	g.ready.row(n)
	g.fails.row(n)
	if ended {
		return
	}
	able := 0
	for k := range g.threads {
		t := &g.threads[k]
		switch t.Status {
		case trace.Ready:
			able++
			g.ready.add(n, t.ID)
			if t.Pending.Kind == trace.OpAccess && t.PendingAccess.Flags&trace.FailedCAS != 0 {
				g.fails.add(n, t.ID)
			}
			if t.ID == s.running {
				k := t.Pending.Kind
				s.couldGoOn = !t.Yielding && k != trace.OpExit && k != trace.OpEnd
			}
			g.letOn(n, t)
		}
		g.spinning(t)
	}
	if k := len(g.threads); k > 0 && !s.active {
		main := &g.threads[0]
		s.joining = main.ID == 0 && main.Status != trace.Exited && main.Pending.Kind == trace.OpJoin
	}
	if turn != trace.NoThread {
		g.take(s)
	}
	if n == 0 || able > 1 || s.outcomes > 1 {
		s.mark, s.marked = g.sys.Mark(), true
	}
}

// letOn is explorer.letOn: a thread that the last event let go on, and that
// says nothing of it itself, goes on after that event.
func (g *graph) letOn(n int, t *trace.Thread) {
	if n == 0 || t.ID == g.steps[n-1].Thread || g.order.Last(t.ID) < 0 || g.ready.has(n-1, t.ID) || len(t.Waits) > 0 {
		return
	}
	if t.Pending.Kind != trace.OpAccess && !relation.Acquires(t.Pending.Kind) {
		g.order.Wake(t.ID)
	}
}

func (g *graph) widen(n int) {
	g.spin, g.passed, g.held = atLeast(g.spin, n), atLeast(g.passed, n), atLeast(g.held, n)
	g.order.Widen(n)
	g.ready.widen(n)
	g.fails.widen(n)
}

// spinning notes what a thread waits for, or waited for.
func (g *graph) spinning(t *trace.Thread) {
	if len(t.Waits) == 0 || g.spin[t.ID] != 0 {
		return
	}
	lo := int32(len(g.waits))
	g.waits = append(g.waits, t.Waits...)
	g.spins = append(g.spins, spun{t.ID, lo, int32(len(g.waits))})
	g.spin[t.ID] = int32(len(g.spins))
}

// waitsOf is what thread t's loop read, if its next step ends a spin.
func (g *graph) waitsOf(t trace.TID) []trace.Access {
	if k := g.spin[t]; k != 0 {
		return g.waits[g.spins[k-1].lo:g.spins[k-1].hi]
	}
	return nil
}

// able reports whether t can run in the state in which sys stands, and with
// how many outcomes.
func (g *graph) able(t trace.TID) (outcomes uint32, ok bool) {
	for k := range g.threads {
		if th := &g.threads[k]; th.ID == t {
			return th.Outcomes, th.Status == trace.Ready
		}
	}
	return 0, false
}
