package scheduler

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Digest is a digest of the whole state, for searches that store states: it
// implements por.Hasher. Two states of one System with the same digest behave
// the same, because it has all that a step reads and can change:
//
//   - guest memory, page permissions and the kernel's words (memory map, files,
//     queues, clock, signals), and this package's own that are assigned through
//     Machine.Set: emu.Machine.Digest;
//   - the allocator's blocks and lists: heap.Heap.Digest;
//   - each thread: its CPU with what a half-executed instruction holds, where it stands, the
//     frames of trusted functions it is in. Also the locks it holds, and what it waits for or
//     spins on;
//   - each trusted object;
//   - the lines printed so far, by which outcomes are distinguished.
//
// It leaves out how many instructions a thread has run, known.Facts (the same for all
// states), and the steps that led there. The processor's clock tells the instructions: a
// guest that reads it is refused. Spin detection reads the latest of a thread's own
// steps. So a thread that has been seen to spin differs from one that is about to be
// (por/stateful.go says why that is enough). The number of steps of an execution has a limit
// (maxSteps) that is a failure.
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
	for _, w := range s.twins.beside {
		theirs, err := w.Digest()
		if err != nil {
			return sum, err
		}
		sum.Add(theirs)
	}
	for i := range s.threads {
		if s.threads[i].Exists {
			sum.Add(s.threadDigest(&s.threads[i]))
		} else if s.threads[i].asked {
			sum.Add(drainDigest(trace.TID(i)))
		}
	}
	sum.Add(s.lib.Digest())
	if out := s.kernel.Output(1); len(out) > 0 {
		sum.Add(printedDigest(out, s.cfg.OutputOrder))
	}
	if s.timers.on() {
		h := trace.NewHash()
		h.Words(partTicks, s.timers.ticks.Get())
		sum.Add(h.Sum())
	}
	if s.cfg.Faults.Any() {
		h := trace.NewHash()
		h.Words(partFaults, s.Failing.failed.Get())
		sum.Add(h.Sum())
	}
	return sum, nil
}

// Kinds of parts, beside those of the machine.
const (
	partThread = 100 + iota
	partFaults
	partTicks
	partPrinted
	// PartCarried and those above it are a Carrier's.
	PartCarried
)

// drainDigest is that of a drain that has found no empty buffer yet.
func drainDigest(hole trace.TID) trace.Digest {
	h := trace.NewHash()
	h.Words(partThread, uint64(hole))
	return h.Sum()
}

func (s *fixed) threadDigest(th *thread) trace.Digest {
	h := trace.NewHash()
	if th.isArrival() {
		h.Words(partThread, uint64(th.ID))
		return h.Sum()
	}
	if th.isTimer() { // of several, the one that has gone off least is next
		h.Words(partThread, uint64(th.ID), th.Insns)
		return h.Sum()
	}
	h.Words(partThread, uint64(th.ID), uint64(th.Stand), th.Returned, trace.Bit(th.Joined), trace.Bit(th.woken))
	if !th.Live() {
		s.lib.HashThread(th.ID, &h, false)
		return h.Sum()
	}
	cpu := s.machine.CPUDigest(th.Ctx)
	h.Words(cpu[0], cpu[1], trace.Bit(th.Yielding), uint64(th.Half), uint64(th.Set))
	stands := th.Stand
	if stands == StandSpin {
		stands = th.spinStand
		h.Words(uint64(stands), th.passes)
		for i := range th.Waits {
			w := &th.Waits[i]
			h.Words(w.Addr, w.PC, uint64(w.Size), uint64(w.Flags))
		}
	}
	switch stands {
	case StandAccess:
		h.Words(th.Access.Addr, uint64(th.Access.Size), th.Access.PC)
	case StandOp, StandTrap, StandSleep, StandFailure:
		hashRegs(&h, th.Regs)
		h.Words(trace.Bit(th.napping), trace.Bit(th.trap.Syscall), trace.Bit(th.trap.Sysenter), uint64(th.trap.Vector), uint64(th.trap.Len))
		h.Words(uint64(th.pending.Kind), th.pending.Obj, th.pending.Arg, uint64(th.pending.Size))
	default:
		if th.Set != 0 {
			hashRegs(&h, th.Regs)
		}
	}
	if f := th.Failure; f != nil {
		h.Text(string(f.Kind))
		h.Text(f.Message)
		h.Word(f.PC)
	}
	if th.outlasts != 0 {
		h.Words(uint64(th.outlasts), uint64(th.lasts), th.until)
	}
	h.Words(trace.Bit(th.Starting), th.Entry, th.Created, th.Self, th.Stack, trace.Bit(th.OwnStack), th.Interrupted)
	for _, id := range slices.Concat(th.posted, []trace.TID{trace.NoThread}, th.sent) {
		h.Word(uint64(id))
	}
	if s.cfg.Buffers {
		th.hashBuffer(&h)
	}
	th.copying().hash(&h)
	atOp := stands == StandOp || stands == StandTrap || stands == StandSleep || stands == StandFailure
	s.lib.HashThread(th.ID, &h, atOp)
	return h.Sum()
}

// hashBuffer adds a store buffer. A store that has left it answers no load, and no load
// waits for it.
func (th *thread) hashBuffer(h *trace.Hash) {
	h.Words(uint64(len(th.buffer.Queue())), trace.Bit(th.buffer.Stored()), trace.Bit(th.atNone), trace.Bit(th.begun), th.fence)
	th.buffer.Hash(h)
}

func hashRegs(h *trace.Hash, r emu.Regs) {
	h.Words(r.RAX, r.RBX, r.RCX, r.RDX, r.RSI, r.RDI, r.RBP, r.RSP, r.R8, r.R9,
		r.R10, r.R11, r.R12, r.R13, r.R14, r.R15, r.RIP, r.RFLAGS, r.FSBase, r.GSBase)
}

// mostPrinted is how much of an output tells outcomes apart.
const mostPrinted = 4096

// printedDigest is of what was printed so far: of its lines in any order, unless their order
// tells outcomes apart.
func printedDigest(out []byte, ordered bool) (sum trace.Digest) {
	out = out[:min(len(out), mostPrinted)]
	lines := bytes.SplitAfter(out, []byte("\n"))
	if ordered {
		lines = [][]byte{out}
	}
	for _, l := range lines {
		h := trace.NewHash()
		h.Words(partPrinted)
		h.Text(string(l))
		sum.Add(h.Sum())
	}
	return sum
}

// State is a digest of what an execution left behind, for comparing searches and replays. It
// covers the writable memory of the program's own segments outside of trusted objects, and
// the threads that have ended. Two orders of independent steps have the same; instruction
// counts and output aren't in it.
func (s *present) State() uint64 {
	h := fnv.New64a()
	holes := s.lib.ObjectBytes()
	for _, seg := range s.image.Segments {
		if !seg.Write {
			continue
		}
		at, end := seg.Addr, seg.Addr+seg.MemSize
		for _, o := range holes {
			if o[1] <= at || o[0] >= end {
				continue
			}
			h.Write(s.machine.Bytes(at, max(o[0], at)-at))
			at = max(at, min(o[1], end))
		}
		h.Write(s.machine.Bytes(at, end-at))
	}
	for i := range s.threads {
		if s.threads[i].Exists {
			h.Write(binary.LittleEndian.AppendUint64(nil, s.threads[i].Returned<<1|uint64(b2i(s.threads[i].Live()))))
		}
	}
	return h.Sum64()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
