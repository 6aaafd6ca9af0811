package library

import (
	"fmt"

	"landgo/heap"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// An allocator of the program's own, that a profile names: its code is tested like
// all other code of the program's, and may be interrupted anywhere. The arguments
// and results of its calls say which blocks there are.
//
// A block's life begins where the call that gives it out returns, and ends where the call
// that takes it back begins. In between the allocator does with its memory what it likes,
// so accesses aren't checked while a thread is inside. The end and the beginning of a block
// that others have touched are events, as with the trusted allocator: every access to the
// block depends on them. Each is a step of its own where each event is one.
//
// The allocator's memory outside of blocks is forbidden to others. That memory is the
// variables that its profile names, and pages that it gets from the kernel in a call
// of its own. Where its memory is another allocator's too (a chunk of malloc's), only
// blocks that have been freed are.

// insideFrame is a call of a tested allocator's function, to its return to ret at
// stack pointer sp.
type insideFrame struct {
	quiet
	family heap.Family
	before heap.Event
	p      uint64     // the pointer that it was given
	size   uint64     // of the block that it is to give out
	old    heap.Block // of a realloc: the one that it is to give up
}

// OwnMemory makes the variables of allocators theirs. It is called once, after the
// guest's Boot, for all that scheduler.Config.Pools has.
func (l *heapCalls) OwnMemory(allocators []profile.Allocator) {
	for _, a := range allocators {
		for _, m := range a.Memory {
			for _, o := range l.image.Objects(m.Name) {
				l.machine.Alive(o.Addr, o.Size, false)
				l.heap.Own(heap.Piece{Addr: o.Addr, Size: o.Size})
			}
		}
	}
}

// follows reports whether a function's calls say which blocks there are, and its
// code is the program's.
func (l *heapCalls) follows(b *profile.Bound) bool { return b.Followed() && l.cfg.Pools }

// atPool makes a thread stand before a call that ends a block whose memory others
// use, or lets it go into the call.
func (l *heapCalls) atPool(th edit, tr *trace.Transition, b *profile.Bound) (scheduler.Verdict, error) {
	family := heap.Family(b.Family)
	if n := len(th.inside); n > 0 && th.inside[n-1].family == family {
		return scheduler.Step, nil // one of its functions calls another
	}
	outer := th.role
	th.role, th.pending = b.Role, trace.Op{}
	if p, ok := l.endsAt(th.thread, b); ok {
		th.pending = l.poolOp(th.thread, trace.OpFree, p, l.callSite(th.thread))
	}
	if l.standsAtPool(th.thread, l.callSite(th.thread)) {
		th.Stand, th.phase, th.timed = scheduler.StandOp, phaseTaken, false
		return scheduler.Stay, nil
	}
	v, err := l.enterPool(th, tr, b)
	if th.quiet.on {
		th.role = outer
	}
	return v, err
}

// standsAtPool reports whether the beginning or the end of a block, if there is
// one pending, is a step of its own.
func (l *heapCalls) standsAtPool(th *thread, pc uint64) bool {
	return th.pending.Kind != trace.OpNone && !th.trusted() && (l.core.EveryOperation() || l.core.Racing(pc-1)) && l.core.Points.Allowed(th.ID, pc)
}

// endsAt is the memory that the call at which a thread stands gives back.
func (l *heapCalls) endsAt(th *thread, b *profile.Bound) (p heap.Piece, ok bool) {
	switch b.Role {
	case profile.Free, profile.Realloc, profile.ReallocArray:
		if l := l.heap.Live(heap.Family(b.Family), th.arg(0)); l != nil {
			return heap.Piece{Addr: l.Addr, Size: l.Size}, true
		}
	case profile.FreeAll:
		for _, l := range l.heap.LiveOf(heap.Family(b.Family)) {
			if p.Size == 0 {
				p = heap.Piece{Addr: l.Addr, Size: l.Size}
			}
			end := max(p.Addr+p.Size, l.Addr+l.Size)
			p.Addr = min(p.Addr, l.Addr)
			p.Size = end - p.Addr
		}
		return p, p.Size > 0
	}
	return heap.Piece{}, false
}

// enterTrustedPool: the function that a thread has just entered as one piece
// (--trust malloc) is followed too.
func (l *heapCalls) enterTrustedPool(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if b, ok := l.roles[th.Regs.RIP]; ok && l.follows(&b) {
		return l.atPool(th, tr, &b)
	}
	return scheduler.Step, nil
}

// stepPool carries out what a thread stands at, the end of a block or the
// beginning of one.
func (l *heapCalls) stepPool(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	at := th.phase
	th.phase = phaseEntry
	if at == phaseTaken {
		b := l.roles[th.Regs.RIP]
		return l.enterPool(th, tr, &b)
	}
	if v, err := l.givePooled(th, tr, *th.given, th.role); err != nil || v == scheduler.Stay {
		return v, err
	}
	return l.leavePools(th, tr)
}

// poolOp is the beginning or the end of a block as an operation; the zero Op if
// no other thread could tell.
func (l *heapCalls) poolOp(th *thread, k trace.OpKind, p heap.Piece, pc uint64) trace.Op {
	if p.Size == 0 || th.trusted() && !l.inTrustedAllocator(th) || l.core.Alone(th.ID) {
		return trace.Op{}
	}
	shared := l.core.Sharing.Shared(th.ID, p.Addr, p.Size)
	if !shared {
		return trace.Op{}
	}
	return trace.Op{Kind: k, Obj: p.Addr, Size: uint32(p.Size), PC: pc}
}

// inTrustedAllocator: a thread is in a function of a thread library's allocator
// that is run as one piece (--trust malloc). Its caller is the program.
func (l *heapCalls) inTrustedAllocator(th *thread) bool {
	return l.cfg.Tested && th.quiet.on && acts[th.quiet.role].how == allocator
}

// enterPool goes into a call. A wrong free is a bug, and a right one ends the
// block at once.
func (l *heapCalls) enterPool(th edit, tr *trace.Transition, b *profile.Bound) (scheduler.Verdict, error) {
	if th.pending.Kind != trace.OpNone {
		tr.Did(th.pending)
		if th.pending.Kind == trace.OpFree {
			l.core.MemoryEnds(th.pending.Obj, uint64(th.pending.Size))
		}
	}
	f := insideFrame{quiet: quiet{on: true, role: b.Role, ret: l.callSite(th.thread), sp: th.Regs.RSP},
		family: heap.Family(b.Family), before: l.heapEvent(th.thread), p: th.arg(0)}
	if f.size = b.Size; f.size == 0 {
		f.size, _ = th.request()
	}
	switch b.Role {
	case profile.Free, profile.Realloc, profile.ReallocArray:
		if f.p == 0 {
			break
		}
		if w := l.badPoolFree(th.thread, b); w != nil {
			return scheduler.Stay, l.core.Fail(th.ID, w)
		}
		f.old = *l.heap.Live(f.family, f.p)
		l.endPooled(th, tr, f.old, f.before)
	case profile.FreeAll:
		for _, old := range l.heap.LiveOf(f.family) {
			l.endPooled(th, tr, old, f.before)
		}
	}
	th.inside = append(th.inside[:len(th.inside):len(th.inside)], f)
	l.breakAt(f.ret, breakReturn)
	return scheduler.Step, nil
}

// badPoolFree is the failure of a call that gives back the block at its first
// argument, or nil.
func (l *heapCalls) badPoolFree(th *thread, b *profile.Bound) *scheduler.Failure {
	p, what := th.arg(0), ""
	if l.heap.Live(heap.Family(b.Family), p) == nil && !l.core.Blocks.InHeap(p) && !l.heap.Near(p, 0) {
		what = l.core.Blocks.Whose(p)
	}
	w, ok := l.heap.Free(p, heap.Family(b.Family), b.Name, what)
	if ok {
		return nil
	}
	return &scheduler.Failure{Kind: w.Kind, Message: w.Message, Block: w.Block, Thread: th.ID, PC: l.callSite(th)}
}

func (l *heapCalls) endPooled(th edit, tr *trace.Transition, b heap.Block, e heap.Event) {
	l.endObjects(th.thread, tr, b)
	l.core.Block(th.ID, b, false)
	l.machine.Alive(b.Addr, b.Size, false)
	l.heap.Take(b.Family, b.Addr, e)
	th.Effects++
}

// leavePools takes in what the calls returned that end where a thread is: one can
// be the last thing that another does. It stays at a block that begins if others
// could tell.
func (l *heapCalls) leavePools(th edit, tr *trace.Transition) (v scheduler.Verdict, err error) {
	for n := len(th.inside) - 1; n >= 0; n-- {
		f := th.inside[n]
		if th.Regs.RIP != f.ret || th.Regs.RSP != f.sp+l.wordSize {
			return scheduler.Step, nil
		}
		th.inside = th.inside[:n:n]
		if v, err = l.leavePool(th, tr, &f); err != nil || v == scheduler.Stay {
			return v, err
		}
	}
	return scheduler.Step, nil
}

func (l *heapCalls) leavePool(th edit, tr *trace.Transition, f *insideFrame) (scheduler.Verdict, error) {
	b := heap.Block{Size: f.size, Family: f.family, Given: f.before, Library: th.trusted() && !th.quiet.gives && !l.inTrustedAllocator(th.thread) || !l.core.Entered()}
	switch f.role {
	case profile.Free, profile.FreeAll, profile.InsideAllocator:
		return scheduler.Step, nil
	case profile.PosixMemalign:
		if uint32(th.Regs.RAX) == 0 {
			b.Addr = l.core.Word(f.p)
		}
	default:
		b.Addr = th.Regs.RAX
		if l.wordSize == 4 {
			b.Addr = uint64(uint32(b.Addr))
		}
	}
	if b.Addr == f.old.Addr {
		b.Was = f.old.Most()
	}
	if b.Addr == 0 {
		if f.old.Addr != 0 && f.size != 0 { // a realloc that failed: the old block goes on
			b = f.old
			return l.givePooled(th, tr, b, f.role)
		}
		return scheduler.Step, nil
	}
	th.pending = l.poolOp(th.thread, trace.OpReuse, heap.Piece{Addr: b.Addr, Size: b.Size}, f.ret)
	if l.standsAtPool(th.thread, f.ret) {
		given := b
		th.Stand, th.role, th.phase, th.timed, th.given = scheduler.StandOp, f.role, phaseGiven, false, &given
		return scheduler.Stay, nil
	}
	return l.givePooled(th, tr, b, f.role)
}

// givePooled begins a block. One in a live block of the same allocator is a bug.
func (l *heapCalls) givePooled(th edit, tr *trace.Transition, b heap.Block, r profile.Role) (scheduler.Verdict, error) {
	if th.pending.Kind == trace.OpReuse {
		tr.Did(th.pending)
	}
	th.pending, th.given = trace.Op{}, nil
	if other := l.heap.Overlapping(&b); other != nil {
		return scheduler.Stay, l.core.Fail(th.ID, &scheduler.Failure{Kind: trace.DoubleAllocation, Thread: th.ID, PC: b.Given.PC, Block: *other,
			Message: fmt.Sprintf("the allocator gives out %s that are in part a live block of %s", heap.Bytes(b.Size), heap.Bytes(other.Size))})
	}
	p := l.heap.Give(b)
	l.core.Block(th.ID, *p, true)
	l.machine.Alive(b.Addr, b.Size, true)
	th.Effects++
	if r == profile.Malloc && !b.Library {
		l.fill(b.Addr, b.Size)
	}
	return scheduler.Step, nil
}
