package relation

import "landgo/internal/trace"

// PoolSpare is how many events, or what a search makes of them, a pool keeps at the most. It may
// be given more than it hands out, for as long as the search lasts: those that another walk or
// a frontier has made.
const PoolSpare = 1 << 15

// Event is what dependence sees of a transition, or of a step that is still to
// be taken.
type Event struct {
	Thread trace.TID
	Choice trace.Choice
	// Global: it depends on everything (the end of the process, an advance of
	// the clock).
	Global bool
	// Advance: it moves the clock. That happens when no thread can run, so its
	// order is never reversed.
	Advance bool
	// Wild: only its beginning is known in the context that it stands for, so it
	// depends on everything too.
	Wild bool
	// Loose: see trace.Transition.
	Loose bool
	// Late: it is possible only where nothing else is (trace.Thread.Late), and races with
	// nothing.
	Late bool
	// Update, Of and Flushed: see trace.Transition, and buffer.go. Drains: it isn't an update,
	// but what finds the buffer of thread Of empty.
	Update  bool
	Drains  bool
	Of      trace.TID
	Flushed uint32
	// More: see tested.go.
	More     uint8
	Accesses []trace.Access
	Ops      []trace.Op
	// Waits are the reads of the spin that the step ended: the thread went on
	// because one of these bytes was written.
	Waits []trace.Access
	// Await, if not nil: the step is possible only where its first access finds a value that
	// lets the thread go on (await.go).
	Await *Await
}

// Await has the earlier writes of the bytes that an await reads, newest first.
type Await struct{ Past []Past }

// Past is an event that wrote what an await reads. Goes: the await could go on with what
// was there before.
type Past struct {
	At   int32
	Goes bool
}

// NewEvent returns what dependence sees of t. It is valid as long as t is.
func NewEvent(t *trace.Transition) Event {
	e := Event{Thread: t.Thread, Choice: t.Choice, Accesses: t.Accesses, Ops: t.Ops, Loose: t.Loose, Update: t.Updates, Of: t.Of, Flushed: t.Flushed, More: t.More}
	e.TellDrains()
	e.Global = t.End == trace.EndProcess || t.End == trace.EndBug
	for i := range t.Ops {
		if k := t.Ops[i].Kind; k == trace.OpEnd || k == trace.OpAdvance {
			e.Global = true
			e.Advance = e.Advance || k == trace.OpAdvance
		}
	}
	return e
}

// Dependent reports whether two events depend.
func (e *Event) Dependent(f *Event) bool {
	if e.Thread == f.Thread || e.Global || f.Global || e.Wild || f.Wild {
		return true
	}
	if e.single() && f.single() && !e.Accesses[0].Overlaps(&f.Accesses[0]) {
		return false // most events are so, and all below asks for bytes that both have
	}
	if e.Buffers(f) || f.Buffers(e) {
		return false
	}
	if e.Choice > 0 && f.Choice > 0 && (e.disagrees(f) || f.disagrees(e)) {
		return true
	}
	if e.finds(f) || f.finds(e) {
		return true
	}
	for i := range e.Accesses {
		if f.meets(&e.Accesses[i]) {
			return true
		}
	}
	for i := range e.Waits {
		if f.meets(&e.Waits[i]) {
			return true
		}
	}
	for i := range e.Ops {
		o := &e.Ops[i]
		for j := range f.Ops {
			if opsDepend(o, &f.Ops[j]) {
				return true
			}
		}
		if touched(o, f.Accesses) || touched(o, f.Waits) {
			return true
		}
	}
	return false
}

// single reports whether e is one access and nothing else.
func (e *Event) single() bool {
	return len(e.Accesses) == 1 && len(e.Ops) == 0 && len(e.Waits) == 0
}

// disagrees reports whether e is a compare-and-exchange that failed because of what it found,
// where f finds something else in the same bytes (outcomes that have names,
// trace.Thread.Named). The two are of no execution, unless a store is between them. Of other
// reads it needn't be known: such a read could have found what f does, and would depend on as
// little.
func (e *Event) disagrees(f *Event) bool {
	return e.Choice != f.Choice && len(e.Accesses) == 1 && len(f.Accesses) == 1 &&
		e.Accesses[0].Flags&trace.FailedCAS != 0 && e.Accesses[0].Overlaps(&f.Accesses[0])
}

// finds reports whether e is a load that depends on the store that it finds alone, and f is that
// store (trace.Unordered).
func (e *Event) finds(f *Event) bool {
	return e.Loads() && e.Choice == f.Choice && len(f.Accesses) == 1 &&
		f.Accesses[0].Flags&(trace.Unordered|trace.Write) == trace.Unordered|trace.Write && f.Accesses[0].Overlaps(&e.Accesses[0])
}

// Loads reports whether e is such a load.
func (e *Event) Loads() bool {
	return len(e.Accesses) == 1 && e.Accesses[0].Flags&(trace.Unordered|trace.Write) == trace.Unordered
}

// meets reports whether an access of another thread depends on e.
func (e *Event) meets(a *trace.Access) bool {
	buffered := a.Flags&trace.Buffered != 0
	for i := range e.Accesses {
		if !buffered && e.Accesses[i].Flags&trace.Buffered == 0 && a.Conflicts(&e.Accesses[i]) {
			return true
		}
	}
	for i := range e.Waits {
		if !buffered && a.Conflicts(&e.Waits[i]) {
			return true
		}
	}
	for i := range e.Ops {
		if touches(a, &e.Ops[i]) {
			return true
		}
	}
	return false
}

// Special are the flags of accesses on which dependence goes by more than conflicts.
const Special = trace.Buffered | trace.Unordered | trace.FailedCAS

// Plain reports whether an access without Special that isn't made yet depends on e if and only if
// it conflicts with one of e's.
func (e *Event) Plain() bool {
	for i := range e.Accesses {
		if e.Accesses[i].Flags&(trace.Buffered|trace.Unordered) != 0 {
			return false
		}
	}
	return !e.Global && !e.Wild && !e.Update && len(e.Ops)+len(e.Waits) == 0
}

// Conflicts reports whether an access conflicts with one of e's.
func (e *Event) Conflicts(a *trace.Access) bool {
	for i := range e.Accesses {
		if a.Conflicts(&e.Accesses[i]) {
			return true
		}
	}
	return false
}

// Writes reports whether e may write a byte of a.
func (e *Event) Writes(a *trace.Access) bool {
	for i := range e.Accesses {
		if b := &e.Accesses[i]; b.IsWrite() && b.Overlaps(a) {
			return true
		}
	}
	for i := range e.Ops {
		if touches(a, &e.Ops[i]) {
			return true
		}
	}
	return e.Global || e.Wild
}

// Lone reports whether e is one access, and maybe the end of its thread, which
// that thread settles: it is the same wherever it can come.
func (e *Event) Lone() bool {
	for i := range e.Ops {
		if e.Ops[i].Kind != trace.OpExit {
			return false
		}
	}
	return len(e.Accesses) == 1 && len(e.Waits) == 0 && !e.Global && !e.Wild && !e.Loose
}

func touched(o *trace.Op, list []trace.Access) bool {
	for i := range list {
		if touches(&list[i], o) {
			return true
		}
	}
	return false
}

// Failed reports whether e is a try or a compare-and-exchange that failed. It
// then depends on less than where it succeeds.
func (e *Event) Failed() bool {
	for i := range e.Accesses {
		if e.Accesses[i].Flags&trace.FailedCAS != 0 {
			return true
		}
	}
	for i := range e.Ops {
		switch e.Ops[i].Kind {
		case trace.OpTryLockFail, trace.OpSemTryWaitFail, trace.OpTryReadLockFail, trace.OpTryWriteLockFail:
			return true
		}
	}
	return false
}

// Ends reports whether e is its thread's last event.
func (e *Event) Ends() bool {
	for i := range e.Ops {
		if e.Ops[i].Kind == trace.OpExit {
			return true
		}
	}
	return false
}

// Idle reports whether e has no effect that another thread could observe.
func (e *Event) Idle() bool {
	for i := range e.Accesses {
		if a := &e.Accesses[i]; a.IsWrite() && a.Flags&trace.Silent == 0 {
			return false
		}
	}
	for i := range e.Ops {
		switch e.Ops[i].Kind {
		case trace.OpYield, trace.OpSleep, trace.OpTryLockFail, trace.OpSemTryWaitFail,
			trace.OpTryReadLockFail, trace.OpTryWriteLockFail:
		default:
			return false
		}
	}
	return !e.Global
}

// Step is an event with room for copies of what it points to, so that it can
// outlive the transition.
type Step struct {
	Event
	accesses []trace.Access
	ops      []trace.Op
	waits    []trace.Access
}

// Keep makes s own what its event points to.
func (s *Step) Keep() {
	s.OwnOps(s.Ops)
	s.OwnAccesses(s.Accesses)
	s.OwnWaits(s.Waits)
}

// Owned is a copy of e that points to nothing of others.
func Owned(e *Event) *Event {
	var s Step
	s.Copy(e)
	return &s.Event
}

// Copy makes s a copy of its own of e.
func (s *Step) Copy(e *Event) {
	s.Event = *e
	s.Keep()
}

// OwnOps makes the operations of s a copy of ops, OwnAccesses its accesses one of accesses,
// OwnWaits its waits one of waits.
func (s *Step) OwnOps(ops []trace.Op) {
	s.ops = append(s.ops[:0], ops...)
	s.Ops = s.ops
}

func (s *Step) OwnAccesses(accesses []trace.Access) {
	s.accesses = append(s.accesses[:0], accesses...)
	s.Accesses = s.accesses
}

func (s *Step) OwnWaits(waits []trace.Access) {
	s.waits = append(s.waits[:0], waits...)
	s.Waits = s.waits
}

// AddOp adds an operation to those of s, which it owns.
func (s *Step) AddOp(o trace.Op) {
	s.ops = append(s.ops, o)
	s.Ops = s.ops
}

// Clear empties s and keeps its room.
func (s *Step) Clear() { *s = Step{accesses: s.accesses, ops: s.ops, waits: s.waits} }

// Begin makes s what thread t's next step begins with.
func (s *Step) Begin(t *trace.Thread) {
	s.Event = Event{Thread: t.ID, Loose: t.Loose, Update: t.Updates, Of: t.Of, Flushed: t.Flushed}
	switch t.Pending.Kind {
	case trace.OpAccess:
		if s.OwnAccesses([]trace.Access{t.PendingAccess}); len(t.Pieces) > 0 {
			s.OwnAccesses(t.Pieces)
		}
		if t.Beside.Kind != trace.OpNone {
			s.OwnOps([]trace.Op{t.Beside})
		}
	case trace.OpEnd:
		s.Global = true
	default:
		s.OwnOps([]trace.Op{t.Pending})
		s.TellDrains()
	}
}

// Dim makes s what thread's step does in every context: a try may fail there, and so
// may a compare-and-exchange, which can't be told from other read-modify-writes.
func (s *Step) Dim() {
	for i := range s.Accesses {
		if a := &s.Accesses[i]; a.Flags&trace.RMW != 0 {
			a.Flags &^= trace.Write
		}
	}
	for i := range s.Ops {
		switch s.Ops[i].Kind {
		case trace.OpTryLock, trace.OpTryJoin, trace.OpSemTryWait, trace.OpTryReadLock, trace.OpTryWriteLock,
			trace.OpTryLockFail, trace.OpTryJoinFail, trace.OpSemTryWaitFail, trace.OpTryReadLockFail, trace.OpTryWriteLockFail:
			s.Ops = nil
			return
		}
	}
}

// MayFail reports whether e is a try or a read-modify-write, also one that failed.
func (e *Event) MayFail() bool {
	for i := range e.Accesses {
		if e.Accesses[i].Flags&(trace.RMW|trace.FailedCAS) != 0 {
			return true
		}
	}
	for i := range e.Ops {
		if failing[e.Ops[i].Kind] != trace.OpNone {
			return true
		}
	}
	return e.Failed()
}

// Fails makes s what the step does where it fails, if it is a try or a
// compare-and-exchange, which can't be told from other read-modify-writes. It
// reports whether that is less than what it did.
func (s *Step) Fails() (less bool) {
	for i := range s.Accesses {
		if a := &s.Accesses[i]; a.Flags&(trace.RMW|trace.Write) == trace.RMW|trace.Write {
			a.Flags &^= trace.Write
			less = true
		}
	}
	for i := range s.Ops {
		o := &s.Ops[i]
		if k := failing[o.Kind]; k != trace.OpNone {
			o.Kind, less = k, true
		}
	}
	return less
}

// failing[k]: what a try of kind k is where it fails.
var failing = [trace.NumOps]trace.OpKind{
	trace.OpTryLock: trace.OpTryLockFail, trace.OpTryJoin: trace.OpTryJoinFail, trace.OpSemTryWait: trace.OpSemTryWaitFail,
	trace.OpTryReadLock: trace.OpTryReadLockFail, trace.OpTryWriteLock: trace.OpTryWriteLockFail,
}

// Blur makes s what the step may do in another context. A try or a
// compare-and-exchange that failed may succeed there. And anything may follow,
// unless a step is one event that its thread alone settles (oneEvent). It
// reports whether the step may do something else at all.
func (s *Step) Blur(oneEvent bool) (varies bool) {
	for i := range s.Accesses {
		if a := &s.Accesses[i]; a.Flags&trace.FailedCAS != 0 {
			a.Flags = a.Flags&^trace.FailedCAS | trace.Write
			varies = true
		}
	}
	for i := range s.Ops {
		switch o := &s.Ops[i]; o.Kind {
		case trace.OpTryLockFail:
			o.Kind = trace.OpTryLock
		case trace.OpTryJoinFail:
			o.Kind = trace.OpTryJoin
		case trace.OpSemTryWaitFail:
			o.Kind = trace.OpSemTryWait
		case trace.OpTryReadLockFail, trace.OpReadQueue:
			o.Kind = trace.OpTryReadLock
		case trace.OpTryWriteLockFail, trace.OpWriteQueue:
			o.Kind = trace.OpTryWriteLock
		default:
			continue
		}
		varies = true
	}
	s.Wild = s.Loose || !oneEvent
	return varies || s.Wild
}
