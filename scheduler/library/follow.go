package library

import (
	"landgo/heap"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// The guest's own allocator, followed from outside (--malloc native): its code runs
// as it is, without interruption, and its calls' arguments and results say which
// blocks there are. Its accesses to its own memory aren't checked. Another access
// to that memory is, wherever it is in no block.
//
// Its calls aren't independent: which address one returns depends on all before
// it. So each call is an event that depends on all others, besides the end of the
// block that it frees, and the beginning of the one that it returns.
//
// The allocator's memory is all that it got from the kernel in a call of its own.

// heapResource is the resource of all calls of a followed allocator.
const heapResource = 1 << 40

// followed is a call of the allocator under way.
type followed struct {
	quiet
	before heap.Event
	p      uint64 // the pointer that it was given
	size   uint64
	origin heap.Origin // of what it gives out
	kept   []byte      // the bytes that wipe took out of the block
}

// atFollowed makes a thread stand before a call of the allocator, or lets it go
// into it within the step.
func (l *heapCalls) atFollowed(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if th.alloc != nil {
		return scheduler.Step, nil // one of its functions calls another
	}
	th.phase, th.timed = phaseEntry, false
	th.pending = trace.Op{}
	if !th.trusted() && !l.core.Alone(th.ID) {
		th.pending = trace.Op{Kind: trace.OpSyscall, Obj: heapResource, Arg: 1, PC: l.callSite(th.thread)}
		if l.isPoint(th.thread) {
			th.Stand = scheduler.StandOp
			return scheduler.Stay, nil
		}
	}
	return l.follow(th, tr)
}

// follow goes into the call. A wrong free is a bug, and a right one ends the
// block at once.
func (l *heapCalls) follow(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if th.pending.Kind != trace.OpNone {
		// The first and the last of a long row of calls in one step say all.
		if n := len(tr.Ops); n > 1 && tr.Ops[n-1].Obj == heapResource && tr.Ops[n-2].Obj == heapResource {
			tr.Ops = tr.Ops[:n-1]
		}
		tr.Did(th.pending)
	}
	f := followed{quiet: quiet{on: true, role: th.role, ret: l.callSite(th.thread), sp: th.Regs.RSP}, before: l.heapEvent(th.thread), p: th.arg(0)}
	f.size, _ = th.request()
	l.fillsCache(th)
	if th.role != profile.Free {
		f.origin = l.origin(th)
	}
	switch th.role {
	case profile.Free, profile.Realloc, profile.ReallocArray:
		if f.p == 0 {
			break
		}
		if w := l.badFree(th); w != nil {
			return scheduler.Stay, l.core.Fail(th.ID, w)
		}
		b := *l.heap.At(0, f.p)
		l.lifeOp(th.thread, tr, trace.OpFree, 0, &b) // the call, which is on record, says where
		if th.role == profile.Free {
			l.endObjects(th.thread, tr, b)
			l.endFollowed(th.thread, b, f.before)
			l.wipe(&b)
		} else {
			f.kept = l.wipe(&b)
		}
	}
	th.alloc = &f
	l.breakAt(f.ret, breakReturn)
	return scheduler.Step, nil
}

// wipe clears a block that a call gives back, and returns what was in it, where
// twins differ in that (--check uninit). By the bytes that it finds there, musl's
// allocator places its next block. The bytes that realloc has to keep are put back
// afterwards.
func (l *heapCalls) wipe(b *heap.Block) []byte {
	if l.cfg.Fill == nil || b.Size == 0 {
		return nil
	}
	kept := append([]byte(nil), l.machine.Bytes(b.Addr, b.Size)...)
	l.machine.Write(b.Addr, make([]byte, b.Size))
	return kept
}

// lifeOp records that a block whose memory others use begins or ends, at pc.
func (l *heapCalls) lifeOp(th *thread, tr *trace.Transition, k trace.OpKind, pc uint64, b *heap.Block) {
	if b.Size == 0 || th.quiet.on || th.Starting || l.core.Alone(th.ID) {
		return
	}
	if l.core.Sharing.Shared(th.ID, b.Addr, b.Size) {
		tr.Did(trace.Op{Kind: k, Obj: b.Addr, Size: uint32(b.Size), PC: pc})
		if k == trace.OpFree {
			l.core.MemoryEnds(b.Addr, b.Size)
		}
	}
}

func (l *heapCalls) endFollowed(th *thread, b heap.Block, e heap.Event) {
	l.core.Block(th.ID, b, false)
	l.machine.Alive(b.Addr, b.Size, false)
	l.heap.Take(0, b.Addr, e)
}

// leaveFollowed takes in what a call of the allocator returned.
func (l *heapCalls) leaveFollowed(th edit, tr *trace.Transition) {
	f := *th.alloc
	p := th.Regs.RAX
	var was uint64 // of a block that goes on where it is
	library := l.isLibrarys(th.thread)
	switch f.role {
	case profile.Free, profile.InsideAllocator:
		p = 0
	case profile.MallocUsableSize:
		// All that it says may be used.
		if b := l.heap.Live(0, f.p); b != nil && p > b.Size {
			l.heap.Extend(0, f.p, p, f.before)
			l.machine.Alive(f.p, p, true)
		}
		p = 0
	case profile.PosixMemalign:
		p = 0
		if uint32(th.Regs.RAX) == 0 {
			p = l.machine.Read64(f.p)
		}
	case profile.Realloc, profile.ReallocArray:
		if p != 0 {
			l.machine.Write(p, f.kept[:min(f.size, uint64(len(f.kept)))])
		} else if f.size != 0 { // it failed
			l.machine.Write(f.p, f.kept)
		}
		if b := l.heap.Live(0, f.p); b != nil && f.p != 0 && (p != 0 || f.size == 0) {
			old := *b
			library = old.Library
			l.endObjects(th.thread, tr, old)
			l.endFollowed(th.thread, old, f.before)
			if p == old.Addr {
				was = old.Most()
			}
			defer func() {
				if th.alloc = nil; p != 0 && f.size > old.Size && !old.Library {
					l.fill(p+old.Size, f.size-old.Size)
				}
			}()
		}
	}
	if p != 0 {
		b := l.heap.Give(heap.Block{Addr: p, Size: f.size, Was: was, Origin: f.origin, Library: library, Given: f.before})
		l.core.Block(th.ID, *b, true)
		l.machine.Alive(p, f.size, true)
		l.lifeOp(th.thread, tr, trace.OpReuse, f.ret, b)
		if !b.Library && f.role != profile.Calloc && f.role != profile.Realloc && f.role != profile.ReallocArray {
			l.fill(p, f.size)
		}
	}
	th.alloc = nil
}

// Got implements Memory. If the allocator asked for them, pages that a thread got from its
// kernel are the allocator's, and in no block yet. Else they aren't the heap's.
func (l *heapCalls) Got(t trace.TID, addr, size uint64) {
	th := &l.threads[t]
	switch {
	case !l.cfg.OwnAllocator && !l.cfg.Pools || size == 0:
	case th.alloc != nil || len(th.inside) > 0:
		l.machine.Alive(addr, size, false)
		l.heap.Own(heap.Piece{Addr: addr, Size: size})
	case l.machine.Dead(addr, size):
		l.machine.Alive(addr, size, true)
	}
}
