package emu

/*
#include "machine.h"
*/
import "C"

import (
	"errors"
	"slices"
	"unsafe"

	"landgo/internal/abi"
)

// Leg has the processor's work from one stop to the next, as plain data. The thread was alone,
// or in trusted code, so no access was recorded. Play does the same without the processor.
type Leg struct {
	Why        Why
	PC, Insns  uint64
	ClockReads uint64 // times that the guest asked for the time
	Regs       Regs
	Trap       Trap
	Break      uint8
	Fences     []uint32
	// Runs are addresses of stretches of written words and their numbers of words, in
	// turn. Words has what they hold at the stop.
	Runs, Words []uint64
}

// Processor is a context's processor as plain data, with the registers that are read from it.
type Processor struct {
	State []byte // as the engine has it
	Check []uint64
}

// LegFrom is the leg that ended with a stop, and began when the journal had a length and the time
// had been asked for this many times.
func (m *Machine) LegFrom(journal, clockReads uint64, s *Stop) *Leg {
	l := &Leg{Why: s.Why, PC: s.PC, Regs: s.Regs, Trap: s.Trap, Break: s.Break, ClockReads: m.ClockReads() - clockReads}
	m.written8(journal, func(word, n uint64) {
		l.Runs = append(l.Runs, word*8, n)
		for i := range n {
			l.Words = append(l.Words, m.Read64((word+i)*8))
		}
	})
	return l
}

// written8 calls f with the stretches of words that the journal names from a length on,
// ascending.
func (m *Machine) written8(journal uint64, f func(word, n uint64)) {
	const words = abi.PageSize / 8
	type dirty [words / 64]uint64
	pages := map[uint64]*dirty{}
	var numbers []uint64
	latest, at := &dirty{}, ^uint64(0)
	mark := func(word uint64) {
		if p := word / words; p != at {
			if at, latest = p, pages[p]; latest == nil {
				latest = &dirty{}
				pages[p] = latest
				numbers = append(numbers, p)
			}
		}
		latest[word%words/64] |= 1 << (word % 64)
	}
	for _, u := range unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)[journal:] {
		place := u.where & (1<<C.UNDO_KIND_SHIFT - 1)
		last := place + u.where>>C.UNDO_SIZE_SHIFT - 1
		mark(place / 8)
		if last/8 != place/8 {
			mark(last / 8)
		}
	}
	slices.Sort(numbers)
	from, n := uint64(0), uint64(0)
	for _, p := range numbers {
		for i := range uint64(words) {
			if pages[p][i/64]>>(i%64)&1 == 0 {
				continue
			}
			if word := p*words + i; n > 0 && word == from+n {
				n++
			} else {
				if n > 0 {
					f(from, n)
				}
				from, n = word, 1
			}
		}
	}
	if n > 0 {
		f(from, n)
	}
}

var errOtherMachine = errors.New("the state is of another machine")

// Play gives the context from the outcome of a leg, without running it. The context of the stop has the
// general registers only, unless the processor at its end is given. reuse: see Run.Reuse.
func (m *Machine) Play(l *Leg, from Ctx, reuse bool, end *Processor) (*Stop, error) {
	if len(l.Runs)%2 != 0 {
		return nil, errOtherMachine
	}
	words := l.Words
	for i := 0; i < len(l.Runs); i += 2 {
		at, n := l.Runs[i], l.Runs[i+1]
		if n > uint64(len(words)) || !m.inSpace(at, n*8) || m.touchesCode(at, n*8) {
			return nil, errOtherMachine
		}
		for k, w := range words[:n] {
			a := at + uint64(k)*8
			m.remember(a, 8)
			*(*uint64)(unsafe.Add(m.mem, a)) = w
		}
		words = words[n:]
	}
	clock := m.Clock(from) + l.Insns
	to := from
	if !reuse || len(m.marks) > 0 && int32(from) < m.marks[len(m.marks)-1].slots {
		to = m.newSlot()
	}
	regs := l.Regs
	regs.RIP = l.PC
	C.context_start(m.c, C.int32_t(to), (*C.uint64_t)(unsafe.Pointer(&regs)))
	m.slot(to).clock = C.uint64_t(clock)
	if end != nil {
		if err := m.thawCPU(to, end, l.PC, clock); err != nil {
			return nil, err
		}
		if m.Regs(to) != regs {
			return nil, errOtherMachine
		}
	}
	m.c.clock_reads += C.uint64_t(l.ClockReads)
	m.stop = Stop{Why: l.Why, Ctx: to, PC: l.PC, Insns: l.Insns, Break: l.Break, Trap: l.Trap, Regs: l.Regs, Fences: l.Fences}
	m.regsSet = true
	return &m.stop, nil
}

// FreezeCPU copies a context's processor, into the memory of an earlier copy if there is
// one. Whether another machine can go on with it is asked of Movable.
func (m *Machine) FreezeCPU(c Ctx, to *Processor) error {
	n := int(C.context_frozen(m.c))
	if n <= 0 {
		return errors.New("the engine's saved state has another form")
	}
	s := m.slot(c)
	if s.parts != 0 || s.poised.size != 0 {
		return errors.New("the processor is inside an instruction")
	}
	if len(to.State) != n {
		to.State = make([]byte, n)
	}
	C.context_freeze(m.c, C.int32_t(c), unsafe.Pointer(&to.State[0]))
	to.Check = m.registers(c)
	return nil
}

// Movable fails if a processor's state holds an address of landgo's own process, by which
// it would mean something else in another one.
func (m *Machine) Movable(c *Processor) error {
	mapped, err := ownMemory()
	if err != nil {
		return err
	}
	return m.noAddresses(c.State, mapped)
}

// thawCPU puts a processor's state into a context.
func (m *Machine) thawCPU(c Ctx, from *Processor, pc, clock uint64) error {
	if n := int(C.context_frozen(m.c)); n == 0 || len(from.State) != n {
		return errOtherMachine
	}
	C.context_thaw(m.c, C.int32_t(c), unsafe.Pointer(&from.State[0]), C.uint64_t(pc), C.uint64_t(clock))
	if !slices.Equal(m.registers(c), from.Check) {
		return errors.New("the engine reads other registers from the state than were in it")
	}
	return nil
}
