package emu

// #include "machine.h"
import "C"

import (
	"unsafe"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// A search makes the same runs again and again: a thread goes on from the same context and reads
// the same bytes, after other steps of others. The outcome of a run is kept with all that it
// depended on, and carried out without the engine where that is the same.
//
// A run depends on its context, its order, the bytes that it reads (recall.c), and the permissions of
// the pages that it accesses. It depends on what is known of sharing, of code and of breakpoints too. Contexts are
// told apart by the numbers of what was saved (struct slot). What is known changes seldom: then all is
// forgotten (forget).

// recallable are the flags of runs that are kept. The others tell what a run did, or depend on more.
const recallable = StopShared | StopAtomic | StopPoints | Solo | Quiet | Watch | Check | Unchecked | Faults | Fences

// recall has the runs of one machine that are kept.
type recall struct {
	kinds  []int32 // by hash of a runKind: its number in all, plus 1
	ends   []int32 // by hash of a run's kind and what it read: its number in runs, plus 1
	all    []runKind
	runs   []keptRun
	seen   []uint32 // by hash of a runKind: the hash itself, if it was asked for
	owners uint64   // of the machine, when they were kept
	found  uint64   // runs that were carried out so
	tries  uint64   // runs that were asked for
	rest   uint64   // nothing is kept until so many were
	worth  uint64   // found, when all were forgotten the last time
	full   uint     // how often they were, because there were too many
	cpus   []int32  // by hash of a processor: its number in saved, plus 1
	saved  []keptCPU
	bytes  []byte // room for processors
	made   []trace.Access
	off    bool
}

// beginning is how a run begins, beside what it reads.
type beginning struct {
	saved             uint64
	regs              uint64 // a hash of those that are set
	thread            int32
	flags, allow, set uint32
	skips             uint32
}

// runKind is all runs that begin alike and read the same places.
type runKind struct {
	beginning
	to    []uint64 // the registers that are set
	reads []place
	next  int32 // in kinds
}

type place struct {
	at   uint64
	size uint8
}

// keptRun is a run's outcome.
type keptRun struct {
	kind   int32
	next   int32 // in ends
	values []uint64
	pages  []pageNeed
	writes []written
	slot   C.struct_slot // at the end, but for its processor and its clock
	cpu    []byte
	stop   Stop
}

// keptCPU is a processor at the end of runs that are kept. All contexts with the same have one number.
type keptCPU struct {
	state []byte
	slot  C.struct_slot // its number, and what it has half done
	next  int32         // in cpus
}

type pageNeed struct {
	page uint64
	need uint8
}

type written struct {
	place
	value uint64
}

// Sizes of the tables. A processor takes some 2 KiB.
const (
	mostRuns  = 1 << 12
	mostCPUs  = 1 << 11
	kindSlots = 1 << 12
	endSlots  = 1 << 13
	cpuSlots  = 1 << 11
	seenSlots = 1 << 15
	mostKinds = 4 // that begin alike
)

const golden = 0x9E3779B97F4A7C15

func mix(h, v uint64) uint64 {
	h = (h ^ v) * golden
	return h ^ h>>29
}

func (b *beginning) hash() uint64 {
	h := mix(b.saved, uint64(b.thread)<<32|uint64(b.flags))
	h = mix(h, uint64(b.allow)<<32|uint64(b.set))
	return mix(h, b.regs^uint64(b.skips)<<60)
}

// forget is called when what is known to the machine changes, beside sharing.
func (k *recall) forget() {
	if len(k.all) == 0 {
		return
	}
	clear(k.kinds)
	clear(k.ends)
	clear(k.cpus)
	clear(k.runs)
	clear(k.all)
	clear(k.saved)
	k.all, k.runs, k.saved, k.bytes = k.all[:0], k.runs[:0], k.saved[:0], nil
	k.worth = k.found
}

// asks reports whether a run may be one of those that are kept, and how it begins.
func (m *Machine) asks(r *Run, b *beginning) bool {
	if k := &m.recall; k.tries < k.rest && len(k.all) == 0 {
		k.tries++
		return false
	}
	if m.recall.off || r.StopAt != 0 || r.Flags&^recallable != 0 || r.User || r.Permit || len(r.Links) != 0 ||
		r.Beneath.Hi != 0 || r.Blind.Hi != 0 || bool(m.c.uniprocessor) || m.c.knobs != 0 {
		return false
	}
	*b = beginning{saved: uint64(m.slot(r.From).saved), thread: int32(r.Thread), flags: uint32(r.Flags), allow: r.Allow, set: uint32(r.Set)}
	if r.SkipBreak {
		b.skips = 1
	}
	if r.SkipFence {
		b.skips |= 2
	}
	if r.Set != 0 {
		regs := (*[nregs]uint64)(unsafe.Pointer(&r.Regs))
		for i := range regs {
			if r.Set>>i&1 != 0 {
				b.regs = mix(b.regs, regs[i])
			}
		}
	}
	return true
}

// recalled carries a run out that was made before; nil: none is kept. note: it is worth
// keeping.
func (m *Machine) recalled(r *Run, b *beginning) (s *Stop, note bool) {
	k := &m.recall
	if k.owners != uint64(m.c.owners) {
		k.forget()
		k.owners = uint64(m.c.owners)
	}
	if k.kinds == nil {
		k.kinds, k.ends, k.cpus, k.seen = make([]int32, kindSlots), make([]int32, endSlots), make([]int32, cpuSlots), make([]uint32, seenSlots)
	}
	k.tries++
	h := b.hash()
	alike := 0
	for i := k.kinds[h%kindSlots]; i != 0; i = k.all[i-1].next {
		kind := &k.all[i-1]
		if kind.beginning != *b || !kind.sets(r) {
			continue
		}
		alike++
		e := uint64(i)
		for _, p := range kind.reads {
			e = mix(e, m.value(p))
		}
		for j := k.ends[e%endSlots]; j != 0; j = k.runs[j-1].next {
			run := &k.runs[j-1]
			if run.kind == i && m.holds(kind, run) && run.stop.Insns+2 < r.Budget-1 {
				k.found++
				return m.carryOut(r, run), false
			}
		}
	}
	tag := uint32(h >> 32)
	if at := &k.seen[h>>17%seenSlots]; *at != tag {
		*at = tag
		return nil, false
	}
	return nil, alike < mostKinds && k.tries >= k.rest
}

// sets reports whether a run sets the registers to those of the kind.
func (k *runKind) sets(r *Run) bool {
	if r.Set == 0 {
		return true
	}
	regs, n := (*[nregs]uint64)(unsafe.Pointer(&r.Regs)), 0
	for i := range regs {
		if r.Set>>i&1 != 0 {
			if regs[i] != k.to[n] {
				return false
			}
			n++
		}
	}
	return true
}

// value is what memory holds at a place that a run has read.
func (m *Machine) value(p place) uint64 {
	at := unsafe.Add(m.mem, p.at)
	switch p.size {
	case 8:
		return *(*uint64)(at)
	case 4:
		return uint64(*(*uint32)(at))
	case 2:
		return uint64(*(*uint16)(at))
	case 1:
		return uint64(*(*uint8)(at))
	}
	return *(*uint64)(at) & (1<<(8*p.size) - 1) // invariant: there is slack behind memory
}

// holds reports whether memory is as the run found it.
func (m *Machine) holds(kind *runKind, run *keptRun) bool {
	for i, p := range kind.reads {
		if m.value(p) != run.values[i] {
			return false
		}
	}
	for _, p := range run.pages {
		if m.perm[p.page]&p.need != p.need {
			return false
		}
	}
	return true
}

// carryOut applies the outcome of an earlier, equal run.
func (m *Machine) carryOut(r *Run, k *keptRun) *Stop {
	for i := range k.writes {
		w := &k.writes[i]
		at := unsafe.Add(m.mem, w.at)
		m.push(undoEntry{w.at | uint64(w.size)<<C.UNDO_SIZE_SHIFT, *(*uint64)(at)})
		m.put(w)
	}
	to := r.From
	if !m.reuses(r) {
		to = m.newSlot()
	}
	clock := uint64(m.slot(r.From).clock) + k.stop.Insns
	s := m.slot(to)
	cpu := s.cpu
	*s = k.slot
	s.cpu, s.clock = cpu, C.uint64_t(clock)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(cpu)), len(k.cpu)), k.cpu)
	if int32(m.c.live) == int32(to) {
		m.c.live = -1
	}
	from := &k.stop
	stop := &m.stop
	stop.Why, stop.Ctx, stop.PC, stop.Insns = from.Why, to, from.PC, from.Insns
	stop.Half, stop.Parts, stop.Learned, stop.Jumped = from.Half, from.Parts, false, false
	m.recall.made = append(m.recall.made[:0], from.Accesses...)
	stop.Accesses, stop.Fences, stop.PCs = m.recall.made, from.Fences, nil
	stop.Access, stop.Break, stop.Trap, stop.Detail = from.Access, from.Break, from.Trap, from.Detail
	stop.Fault, stop.Raised, stop.ErrorCode, stop.Device, stop.Port = from.Fault, false, 0, from.Device, 0
	switch {
	case from.Why == StopBreak || from.Why == StopTrap || from.Why == StopPrivileged:
		stop.Regs = from.Regs
		m.regsSet = true
	case m.regsSet:
		stop.Regs = Regs{}
		m.regsSet = false
	}
	return stop
}

// put stores what a run has written.
func (m *Machine) put(w *written) {
	at := unsafe.Add(m.mem, w.at)
	switch w.size {
	case 8:
		*(*uint64)(at) = w.value
	case 4:
		*(*uint32)(at) = uint32(w.value)
	case 2:
		*(*uint16)(at) = uint16(w.value)
	case 1:
		*(*uint8)(at) = uint8(w.value)
	default:
		v := w.value
		copy(unsafe.Slice((*byte)(at), w.size), unsafe.Slice((*byte)(unsafe.Pointer(&v)), w.size))
	}
}

// permitted: the permissions of pages change. Those of code are asked for no run.
func (m *Machine) permitted(page, n uint64) {
	if lo := page << abi.PageShift; m.touchesCode(lo, n<<abi.PageShift) {
		m.recall.forget()
	}
}
