package emu

// #include "machine.h"
import "C"

import (
	"bytes"
	"slices"
	"unsafe"

	"landgo/internal/abi"
)

// Which runs are kept (recall.go), and what of them.

// mostOfRun bounds what is kept of one run: its stores, its records, what it depends on.
const mostOfRun = 32

// worthKeeping is how often a run has to come again, or it takes longer to keep it than to make it.
const worthKeeping = 16

// before is how the machine was before a run that is to be kept.
type before struct {
	journal, owners, clocks uint64
}

func (m *Machine) beforeKept() before {
	return before{uint64(m.c.njournal), uint64(m.c.owners), uint64(m.c.clock_reads)}
}

// keep keeps a run that has ended with m.stop, if it depends on nothing else than what was
// noted.
func (m *Machine) keep(r *Run, b *beginning, was before) {
	k, s := &m.recall, &m.stop
	if bool(m.c.notes.unusable) || s.Learned || s.Jumped || was.owners != uint64(m.c.owners) || was.clocks != uint64(m.c.clock_reads) ||
		len(s.Accesses) > mostOfRun || uint64(m.c.njournal)-was.journal > mostOfRun {
		return
	}
	switch s.Why {
	case StopAccess, StopBreak, StopTrap, StopFence, StopPrivileged:
	default:
		return
	}
	if (len(k.runs) == mostRuns || len(k.saved) == mostCPUs) && !m.makeRoom() {
		return
	}
	var reads [C.MAX_NOTED]place
	var values [C.MAX_NOTED]uint64
	n, pages, ok := m.dependsOn(&reads, &values)
	if !ok {
		return
	}
	kind := k.kindOf(r, b, reads[:n])
	e := uint64(kind)
	for _, v := range values[:n] {
		e = mix(e, v)
	}
	end := &k.ends[e%endSlots]
	cpu := m.processor(s.Ctx)
	k.runs = append(k.runs, keptRun{kind: kind, next: *end, values: slices.Clone(values[:n]), pages: pages,
		writes: m.writes(was.journal), slot: *m.slot(s.Ctx), cpu: cpu, stop: *s})
	*end = int32(len(k.runs))
	kept := &k.runs[len(k.runs)-1]
	kept.slot.cpu = nil
	kept.stop.Accesses, kept.stop.Fences, kept.stop.PCs = slices.Clone(s.Accesses), slices.Clone(s.Fences), nil
}

// makeRoom forgets all runs, so that others are kept. Where few of them came again, none is for a while.
func (m *Machine) makeRoom() bool {
	k := &m.recall
	if k.found-k.worth < worthKeeping*uint64(len(k.runs)) {
		k.full++
		k.rest = k.tries + mostRuns<<min(k.full+6, 18)
	} else {
		k.full = 0
	}
	k.forget()
	return k.full == 0
}

// kindOf is the number of the kind of runs that begin so and read these places, plus 1.
func (k *recall) kindOf(r *Run, b *beginning, reads []place) int32 {
	first := &k.kinds[b.hash()%kindSlots]
	for i := *first; i != 0; i = k.all[i-1].next {
		if kind := &k.all[i-1]; kind.beginning == *b && kind.sets(r) && slices.Equal(kind.reads, reads) {
			return i
		}
	}
	kind := runKind{beginning: *b, reads: slices.Clone(reads), next: *first}
	regs := (*[nregs]uint64)(unsafe.Pointer(&r.Regs))
	for i := range regs {
		if r.Set>>i&1 != 0 {
			kind.to = append(kind.to, regs[i])
		}
	}
	k.all = append(k.all, kind)
	*first = int32(len(k.all))
	return *first
}

// dependsOn gathers what the run depends on: places of memory and what they held when it began, and
// permissions. What the run has written itself before it read it follows from the rest.
func (m *Machine) dependsOn(reads *[C.MAX_NOTED]place, values *[C.MAX_NOTED]uint64) (n int, pages []pageNeed, ok bool) {
	all := m.c.notes.all[:m.c.notes.n]
	var own [C.MAX_NOTED]place
	owned := 0
	for i := range all {
		x := &all[i]
		p := place{uint64(x.addr), uint8(x.size)}
		if x.kind&C.NOTED_ACCESS != 0 {
			need := uint8(ProtRead)
			if x.kind&C.NOTED_STORE != 0 {
				need = uint8(ProtWrite)
			}
			pages = needs(pages, pageNeed{p.at >> abi.PageShift, need})
		}
		if x.kind&C.NOTED_VALUE != 0 {
			covered := false
			for _, o := range own[:owned] {
				if o.at <= p.at && p.end() <= o.end() {
					covered = true
				} else if o.at < p.end() && p.at < o.end() {
					return 0, nil, false // in part: too much trouble
				}
			}
			if !covered && !slices.Contains(reads[:n], p) {
				reads[n], values[n] = p, uint64(x.value)
				n++
			}
		}
		if x.kind&(C.NOTED_STORE|C.NOTED_HELD) != 0 && !slices.Contains(own[:owned], p) {
			own[owned] = p
			owned++
		}
	}
	return n, pages, n <= mostOfRun
}

func (p place) end() uint64 { return p.at + uint64(p.size) }

func needs(pages []pageNeed, p pageNeed) []pageNeed {
	for i := range pages {
		if pages[i].page == p.page {
			pages[i].need |= p.need
			return pages
		}
	}
	return append(pages, p)
}

// writes are the stores of memory since the journal had a length, with what each has stored.
func (m *Machine) writes(since uint64) []written {
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)[since:]
	if len(j) == 0 {
		return nil
	}
	list := make([]written, len(j))
	for i := len(j) - 1; i >= 0; i-- {
		p := place{j[i].where & (1<<C.UNDO_KIND_SHIFT - 1), uint8(j[i].where >> C.UNDO_SIZE_SHIFT)}
		list[i] = written{p, m.value(p)}
		m.put(&written{p, j[i].old})
	}
	for i := range list {
		m.put(&list[i])
	}
	return list
}

// processor is a copy of a context's. The context gets the number of those that have the same.
func (m *Machine) processor(c Ctx) []byte {
	k, n, s := &m.recall, int(C.context_size(m.c)), m.slot(c)
	state := unsafe.Slice((*byte)(unsafe.Pointer(s.cpu)), n)
	h := uint64(s.pc)
	for i := 0; i+8 <= n; i += 8 {
		h = mix(h, *(*uint64)(unsafe.Pointer(&state[i])))
	}
	first := &k.cpus[h%cpuSlots]
	for i := *first; i != 0; i = k.saved[i-1].next {
		if p := &k.saved[i-1]; p.slot.pc == s.pc && sameHeld(&p.slot, s) && bytes.Equal(p.state, state) {
			s.saved = p.slot.saved
			return p.state
		}
	}
	if len(k.bytes) < n {
		k.bytes = make([]byte, min(max(len(k.saved), 4), 64)*n) // a job of a deepening keeps few
	}
	cpu := k.bytes[:n:n]
	k.bytes = k.bytes[n:]
	copy(cpu, state)
	k.saved = append(k.saved, keptCPU{state: cpu, slot: *s, next: *first})
	*first = int32(len(k.saved))
	return cpu
}
