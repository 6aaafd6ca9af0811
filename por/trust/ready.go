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
				s.couldGoOn = t.Preempted()
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
	if len(t.Waits) == 0 || g.spin[t.ID] != 0 || t.Awaits && g.awaits {
		return
	}
	lo := int32(len(g.waits))
	if !g.settled(t) {
		g.waits = append(g.waits, t.Waits...)
	}
	g.spins = append(g.spins, spun{t.ID, lo, int32(len(g.waits))})
	g.spin[t.ID] = int32(len(g.spins))
}

// settled reports whether the trace says by itself that thread t, back at the head
// of its loop, can go on. It can if another thread changed what a read of the turn
// had found before the turn was over, and the turn depends on that. No other order
// of the same trace lets the thread wait there. t.Waits are then the accesses of the
// turn, in their order.
func (g *graph) settled(t *trace.Thread) bool {
	last := g.order.Last(t.ID)
	if t.Status != trace.Ready || last < 0 {
		return false
	}
	left := t.Waits
	for i := last; i >= 0 && len(left) > 0; i = g.order.Prev(i) {
		own := g.steps[i].Accesses
		n := len(left) - len(own)
		if n < 0 || len(own) == 0 {
			return false
		}
		for k := range own {
			if a, b := &own[k], &left[n+k]; a.Addr != b.Addr || a.Size != b.Size {
				return false
			}
		}
		for j := i + 1; j < last; j++ {
			if s := &g.steps[j]; s.Thread != t.ID && s.changes(own) && g.order.Before(j, last) {
				return true
			}
		}
		for k := range own {
			if own[k].IsWrite() {
				return false // it may have covered a change before
			}
		}
		left = left[:n]
	}
	return false
}

// changes reports whether s wrote another value to bytes of one of the accesses.
func (s *step) changes(list []trace.Access) bool {
	for i := range s.Accesses {
		a := &s.Accesses[i]
		if !a.IsWrite() || a.Flags&trace.Silent != 0 {
			continue
		}
		for k := range list {
			if a.Overlaps(&list[k]) {
				return true
			}
		}
	}
	return false
}

// waitsOf are the reads of thread t's loop, if its next step ends a spin.
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
