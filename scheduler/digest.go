package scheduler

import (
	"errors"

	"landgo/emu"
	"landgo/kernel"
	"landgo/trace"
)

// Digest is a digest of the whole state, for searches that store states: it
// implements por.Hasher. Two states of one System with the same digest behave
// the same, because it has all that a step reads and can change:
//
//   - guest memory, page permissions and the kernel's words (memory map, files,
//     queues, clock, signals), and this package's own that are assigned through
//     Machine.Set: emu.Machine.Digest;
//   - the allocator's blocks and lists: heap.Heap.Digest;
//   - each thread: its CPU with what a half-executed instruction holds, where it
//     stands, the frames of trusted functions it is in, the locks it holds, what
//     it waits for or spins on;
//   - each trusted object.
//
// What isn't in it: how many instructions a thread has run (but the processor's
// clock tells: a guest that reads it is refused), what was printed (only how
// much: nothing reads it back), what was learned for good (the same for all
// states), and the steps that led there. Of those, spin detection reads the
// latest of a thread's own, so that a thread that has been seen to spin differs
// from one that is about to be (por/stateful.go says why that is enough); and
// the number of steps of an execution has a limit (maxSteps) that is a failure.
func (s *System) Digest() (trace.Digest, error) {
	sum, err := s.machine.Digest()
	if err != nil {
		gap := kernel.GapCall
		if errors.Is(err, emu.ErrClockRead) {
			gap = kernel.GapInstruction
		}
		return sum, &InvalidError{Gap: gap, Reason: "search stateful can't tell states apart: " + err.Error()}
	}
	sum.Add(s.heap.Digest())
	sum.Add(s.mapped.Digest())
	for _, w := range s.twins {
		theirs, err := w.Digest()
		if err != nil {
			return sum, err
		}
		sum.Add(theirs)
	}
	for i := range s.threads {
		if s.threads[i].Exists {
			sum.Add(s.threadDigest(&s.threads[i]))
		}
	}
	sum.Add(s.lib.digest())
	return sum, nil
}

// Kinds of parts, beside those of the machine.
const (
	partThread = 100 + iota
	partObject
	partNamed
)

func (s *System) threadDigest(th *thread) trace.Digest {
	h := trace.NewHash()
	h.Words(partThread, uint64(th.ID), uint64(th.Stand), th.retval, bit(th.joined), bit(th.detached))
	if !th.Live() {
		return h.Sum()
	}
	cpu := s.machine.CPUDigest(th.Ctx)
	h.Words(cpu[0], cpu[1], bit(th.Yielding), uint64(th.half), uint64(th.set))
	stands := th.Stand
	if stands == StandSpin {
		stands = th.spinStand
		h.Word(uint64(stands))
		for i := range th.Waits {
			w := &th.Waits[i]
			h.Words(w.Addr, w.PC, uint64(w.Size), uint64(w.Flags))
		}
	}
	switch stands {
	case StandAccess:
		h.Words(th.Access.Addr, uint64(th.Access.Size), th.Access.PC)
	case StandOp, StandTrap, StandSleep, StandFailure:
		hashRegs(&h, &th.Regs)
		h.Words(uint64(th.role), uint64(th.phase), bit(th.timed), th.deadline, bit(th.badTime), bit(th.released), th.result, th.mutex)
		h.Words(bit(th.trap.Syscall), bit(th.trap.Sysenter), uint64(th.trap.Vector), uint64(th.trap.Len))
		h.Words(uint64(th.pending.Kind), th.pending.Obj, th.pending.Arg, uint64(th.pending.Size))
	default:
		if th.set != 0 {
			hashRegs(&h, &th.Regs)
		}
	}
	if f := th.Failure; f != nil {
		hashText(&h, string(f.Kind))
		hashText(&h, f.Message)
		h.Word(f.PC)
	}
	for _, q := range []*quiet{&th.quiet, &th.release, &th.alloc.quiet} {
		h.Words(bit(q.on), bit(q.watch), uint64(q.role), q.ret, q.sp)
	}
	for i := range th.inside {
		f := &th.inside[i]
		h.Words(uint64(f.role), f.ret, f.sp, uint64(f.family), f.p, f.size, f.old.Addr, f.old.Size)
	}
	if b := th.given; b != nil {
		h.Words(b.Addr, b.Size, uint64(b.Family))
	}
	h.Words(bit(th.starting), bit(th.native), bit(th.atExit), th.entry, th.Created, th.self, th.exitPC, th.exitSP, th.entryOfChild, th.stack, bit(th.ownStack), uint64(th.cache))
	h.Words(th.interrupted, uint64(len(th.onces)))
	for _, o := range th.onces {
		h.Words(o.obj, o.sp, o.ret)
	}
	for i := range th.held {
		w := &th.held[i]
		h.Words(w.frame, w.pc, w.sp, bit(w.eintr), uint64(w.role), uint64(w.phase), bit(w.timed), w.deadline, bit(w.badTime), w.result, w.mutex, bit(w.released))
		h.Words(uint64(w.pending.Kind), w.pending.Obj, w.quiet.id, w.quiet.was)
		if w.given != nil {
			h.Word(w.given.Addr)
		}
		h.Words(w.args[:]...)
	}
	for _, lock := range th.holds {
		h.Word(lock)
	}
	return h.Sum()
}

func (o *object) digest() trace.Digest {
	h := trace.NewHash()
	h.Words(partObject, o.addr, uint64(o.kind), uint64(o.owner), o.depth, uint64(o.mtype), o.value, o.clock, bit(o.done), bit(o.destroyed), uint64(o.flags), bit(o.strange))
	for _, w := range o.words {
		h.Word(uint64(w))
	}
	hashText(&h, o.torn)
	for _, list := range [][]trace.TID{o.readers, o.waiters} {
		h.Word(uint64(len(list)))
		for _, t := range list {
			h.Word(uint64(t))
		}
	}
	return h.Sum()
}

func hashRegs(h *trace.Hash, r *emu.Regs) {
	h.Words(r.RAX, r.RBX, r.RCX, r.RDX, r.RSI, r.RDI, r.RBP, r.RSP, r.R8, r.R9,
		r.R10, r.R11, r.R12, r.R13, r.R14, r.R15, r.RIP, r.RFLAGS, r.FSBase, r.GSBase)
}

func hashText(h *trace.Hash, text string) {
	h.Word(uint64(len(text)))
	for i := range len(text) {
		h.Word(uint64(text[i]))
	}
}

func bit(b bool) uint64 { return uint64(b2i(b)) }
