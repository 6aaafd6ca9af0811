package por

import (
	"math/bits"

	"landgo/internal/trace"
)

// recorder wraps a System and keeps the transitions of the current execution.
type recorder struct {
	System
	path    []*trace.Transition
	after   []uint64     // the earlier events that each is ordered after
	prices  []price      // of the path up to each event
	stands  [][]standing // of the threads in the states of the path
	marks   []recMark
	blocked bool // a thread waited for more than a join, at some time
	// awaiting: polls aren't possible, whatever the search says.
	awaiting bool
	endless  bool // an execution that points became finer in may have no end
	// parking: threads that go round for nothing stop for good, if the search wants them to.
	parking bool
	// late: ends of the process come last if the search wants them to.
	late bool
	// blending: what has the same effect in both orders is one trace if the search wants it so;
	// blends: it does.
	blending, blends bool
	// counting: so do additions to counts that stay above zero.
	counting bool
	// testing: and tested additions.
	testing bool
	// symmetric: threads that are alike begin in order, if the search wants it so.
	symmetric bool
	// unreading: so have stores that nothing reads, if the search wants it so.
	unreading bool
}

// standing is the part of a thread that a price depends on.
type standing struct {
	id           trace.TID
	ready, yield bool
	wakes        bool // its outcomes are the waiters that a signal may wake
	ends         bool // all that is left of it is its end
}

type recMark struct {
	inner trace.Mark
	n     int
}

func (r *recorder) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	if len(r.path) == 64 && r.endless {
		return &trace.Transition{Thread: t, End: trace.EndProcess}, nil
	}
	r.prices = append(r.prices, r.price().plus(r.stands[len(r.path)], t, c))
	x, err := r.System.Step(t, c)
	if len(r.path) == 64 {
		panic("a random program with more than 64 events")
	}
	var after uint64
	for i, y := range r.path {
		if r.blends && r.oneRound(i, x) {
			continue
		}
		if ordered(y, x) || r.blends && r.leaves(i, x) {
			after |= 1 << i
		}
	}
	r.path, r.after = append(r.path, x), append(r.after, after)
	return x, err
}

// price is the cost of the current path.
func (r *recorder) price() price {
	if n := len(r.prices); n > 0 {
		return r.prices[n-1]
	}
	return price{last: trace.NoThread}
}

func (r *recorder) Threads(dst []trace.Thread) []trace.Thread {
	dst = r.System.Threads(dst)
	for len(r.stands) <= len(r.path) {
		r.stands = append(r.stands, nil)
	}
	all := r.stands[len(r.path)][:0]
	for i := range dst {
		t := &dst[i]
		if (t.Status == trace.Blocked || t.Status == trace.Spinning) && t.Pending.Kind != trace.OpJoin {
			r.blocked = true
		}
		all = append(all, standing{t.ID, t.Status == trace.Ready, t.Yielding, t.Pending.Kind == trace.OpCondSignal, t.Pending.Kind == trace.OpExit || t.Pending.Kind == trace.OpEnd})
	}
	r.stands[len(r.path)] = all
	return dst
}

func (r *recorder) Await(on bool) {
	if s, ok := r.System.(Awaiter); ok {
		s.Await(on || r.awaiting)
	}
}

func (r *recorder) Park(on bool) {
	if s, ok := r.System.(Parker); ok {
		s.Park(on && r.parking)
	}
}

func (r *recorder) EndLate(on bool) {
	if s, ok := r.System.(Awaiter); ok {
		s.EndLate(on && r.late)
	}
}

func (r *recorder) Blend(on bool) {
	if s, ok := r.System.(Blender); ok {
		r.blends = on && r.blending
		s.Blend(r.blends)
	}
}

func (r *recorder) Count(on bool) {
	if s, ok := r.System.(Counter); ok {
		s.Count(on && r.counting)
	}
}

func (r *recorder) Test(on bool) {
	if s, ok := r.System.(Tester); ok {
		s.Test(on && r.testing)
	}
}

func (r *recorder) Counts(f func(back int, c *trace.Count)) { r.System.(Counter).Counts(f) }
func (r *recorder) Uncount(back int)                        { r.System.(Counter).Uncount(back) }

func (r *recorder) Overwrite(on bool) {
	if s, ok := r.System.(Overwriter); ok {
		s.Overwrite(on)
	}
}

func (r *recorder) Unread(on bool) {
	if s, ok := r.System.(Overwriter); ok {
		s.Unread(on && r.unreading)
	}
}

func (r *recorder) Overwritten() bool { return r.System.(Overwriter).Overwritten() }

func (r *recorder) Symmetry(on bool) {
	if s, ok := r.System.(Symmetric); ok {
		s.Symmetry(on && r.symmetric)
	}
}

func (r *recorder) News() bool { return r.System.(Awaiter).News() }

func (r *recorder) WouldGo(t trace.TID, f func(back int, goes bool)) {
	r.System.(Awaiter).WouldGo(t, f)
}

func (r *recorder) Digest() (trace.Digest, error) { return r.System.(Hasher).Digest() }

func (r *recorder) Mark() trace.Mark {
	r.marks = append(r.marks, recMark{r.System.Mark(), len(r.path)})
	return trace.Mark(len(r.marks) - 1)
}

func (r *recorder) Rewind(k trace.Mark) {
	m := r.marks[k]
	r.marks = r.marks[:k+1]
	r.System.Rewind(m.inner)
	r.path, r.after, r.prices = r.path[:m.n], r.after[:m.n], r.prices[:m.n]
}

// canonical is the same for two executions if and only if they are the same
// trace: the linearisation that always takes the lowest thread that it can.
// It stands beside the searches' own dependence, on purpose: pairs of events,
// bytes and a few sentences.
func (r *recorder) canonical(buf []byte) []byte {
	n := len(r.path)
	var of [maxThreads]uint64 // each thread's events
	for i, x := range r.path {
		of[x.Thread] |= 1 << i
	}
	buf = buf[:0]
	for done := uint64(0); len(buf) < 2*n; {
		t, next := 0, 0
		for ; ; t++ {
			next = bits.TrailingZeros64(of[t] &^ done)
			if next < n && r.after[next]&^done == 0 {
				break
			}
		}
		done |= 1 << next
		buf = append(buf, byte(t), byte(r.path[next].Choice))
	}
	return buf
}

// oneRound reports whether event i and x, which comes next, are arrivals at a barrier in
// one round: no round was completed since.
func (r *recorder) oneRound(i int, x *trace.Transition) bool {
	if !arrives(r.path[i]) || !arrives(x) || r.path[i].Thread == x.Thread || r.path[i].Ops[0].Obj != x.Ops[0].Obj {
		return false
	}
	for _, y := range r.path[i:] {
		if arrives(y) && y.Ops[0].Obj == x.Ops[0].Obj && y.Ops[0].Arg&trace.Completes != 0 {
			return false
		}
	}
	return true
}

// leaves reports whether x leaves a barrier at which event i arrived, in the same round or
// before. So it isn't after the round's last arrival, the next that completed one since its
// thread's own.
func (r *recorder) leaves(i int, x *trace.Transition) bool {
	if len(x.Ops) != 1 || x.Ops[0].Kind != trace.OpBarrierLeave || !arrives(r.path[i]) || r.path[i].Ops[0].Obj != x.Ops[0].Obj {
		return false
	}
	own := len(r.path) - 1
	for y := r.path[own]; y.Thread != x.Thread || !arrives(y); y = r.path[own] {
		own--
	}
	for k := own; k < i; k++ {
		if y := r.path[k]; arrives(y) && y.Ops[0].Obj == x.Ops[0].Obj && y.Ops[0].Arg&trace.Completes != 0 {
			return false
		}
	}
	return true
}

func arrives(x *trace.Transition) bool {
	return len(x.Ops) == 1 && x.Ops[0].Kind == trace.OpBarrierArrive
}

func ordered(a, b *trace.Transition) bool {
	if a.Thread == b.Thread || a.End >= trace.EndProcess || b.End >= trace.EndProcess || advances(a) || advances(b) {
		return true
	}
	for i := range a.Accesses {
		p := &a.Accesses[i]
		for k := range b.Accesses {
			q := &b.Accesses[k]
			if p.Addr < q.Addr+uint64(q.Size) && q.Addr < p.Addr+uint64(p.Size) && (p.IsWrite() || q.IsWrite()) {
				if p.Commutes(q) {
					continue
				}
				return true
			}
		}
	}
	if inside(a, b) || inside(b, a) {
		return true
	}
	for i := range a.Ops {
		p := &a.Ops[i]
		for k := range b.Ops {
			if q := &b.Ops[k]; p.Obj == q.Obj && (matters(p.Kind, q.Kind) || matters(q.Kind, p.Kind)) {
				return true
			}
		}
	}
	return false
}

// advances reports whether a moves the clock.
func advances(a *trace.Transition) bool {
	return len(a.Ops) > 0 && a.Ops[0].Kind == trace.OpAdvance
}

// inside reports whether a touches the bytes of an object that b operates on.
func inside(a, b *trace.Transition) bool {
	for i := range a.Accesses {
		p := &a.Accesses[i]
		for k := range b.Ops {
			q := &b.Ops[k]
			if p.Addr < q.Obj+uint64(q.Size) && q.Obj < p.Addr+uint64(p.Size) {
				return true
			}
		}
	}
	return false
}

func matters(a, b trace.OpKind) bool {
	in := func(k trace.OpKind, set ...trace.OpKind) bool {
		for _, s := range set {
			if k == s {
				return true
			}
		}
		return false
	}
	switch a {
	case trace.OpLock, trace.OpTryLock, trace.OpUnlock:
		return in(b, trace.OpLock, trace.OpTryLock, trace.OpUnlock, trace.OpTryLockFail)
	case trace.OpCondWait, trace.OpCondSignal, trace.OpCondBroadcast:
		return in(b, trace.OpCondWait, trace.OpCondSignal, trace.OpCondBroadcast)
	case trace.OpSemWait, trace.OpSemTryWait:
		return in(b, trace.OpSemWait, trace.OpSemTryWait, trace.OpSemPost, trace.OpSemTryWaitFail)
	case trace.OpSemPost:
		return b == trace.OpSemTryWaitFail
	case trace.OpWriteLock, trace.OpWriteUnlock:
		return in(b, trace.OpWriteLock, trace.OpWriteUnlock, trace.OpReadLock, trace.OpReadUnlock)
	case trace.OpBarrierArrive:
		return b == trace.OpBarrierArrive
	case trace.OpExit:
		return b == trace.OpJoin
	}
	return false
}
