package steer

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"landgo/emu"
	"landgo/heap"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// The result of a boot, beside the machine's memory and its devices' state: the known
// threads, and the kernel's calls about its memory. Everything is as at the end of Boot,
// before the first mark.

// bootState is the part of a Kernel that a boot changes.
type bootState struct {
	Cells      []uint64
	Paged      bool
	Asked      uint64
	Threads    []scheduler.Thread
	Own        []ownThread // by thread
	Parents    []trace.TID // with ordinals, in the order of thread ids from 1
	Ordinals   []uint64
	Scheduling []emu.Range
	Returns    []uint64
	Blocks     []bootBlock
}

// bootBlock is a block that the boot gave out, or took back.
type bootBlock struct {
	Block heap.Block
	Given bool
}

// keepBlock notes what happens to blocks before the kernel is up.
func (k *calls) keepBlock(b heap.Block, given bool) {
	if !k.in.booted.Get() {
		k.bootBlocks = append(k.bootBlocks, bootBlock{b, given})
	}
}

// Freeze is the state after Boot as bytes. It fails if something of it can't
// be kept.
func (s *Kernel) Freeze() (own []byte, machine *emu.Frozen, err error) {
	b := bootState{
		Paged: s.paged, Asked: s.asked, Scheduling: s.scheduling,
		Returns: slices.Sorted(maps.Keys(s.returns)), Blocks: s.calls.bootBlocks,
	}
	if !s.Fresh() || len(s.known.Ticked)+len(s.known.TailWords)+len(s.tried) > 0 || s.proc.set != 0 || !s.booted.Get() {
		return nil, nil, errors.New("the kernel isn't just up")
	}
	for i := range s.threads {
		b.Threads = append(b.Threads, *s.threads[i].Thread)
		b.Own = append(b.Own, s.threads[i].own)
	}
	for _, c := range s.cells.all() {
		b.Cells = append(b.Cells, c.Get())
	}
	b.Parents, b.Ordinals = s.Births()
	if own, err = kernel.Encode(b); err != nil {
		return nil, nil, err
	}
	machine, err = s.machine.Freeze(emu.Ctx(s.cpu.Get()))
	return own, machine, err
}

// Thaw takes the place of Boot. After an error the machine can't be used.
func (s *Kernel) Thaw(own []byte, machine *emu.Frozen) error {
	var b bootState
	if err := kernel.Decode(own, &b); err != nil {
		return err
	}
	if len(b.Threads) == 0 || len(b.Threads) > cap(s.threads) || len(b.Own) != len(b.Threads) || len(b.Cells) != len(s.cells.all()) || len(b.Ordinals) != len(b.Parents) {
		return errors.New("the kept state has another form")
	}
	for i, p := range b.Parents {
		if t, err := s.Intern(p, b.Ordinals[i]); err != nil || t != trace.TID(i+1) {
			return fmt.Errorf("thread %d has another name: %v", i+1, err)
		}
	}
	s.findTells()
	for _, addr := range b.Returns {
		s.returns[addr] = true
		s.machine.Break(addr, aBreak)
	}
	cpu, err := s.machine.Thaw(machine)
	if err != nil {
		return err
	}
	for i, c := range s.cells.all() {
		s.machine.Put(c, b.Cells[i])
	}
	s.machine.Put(&s.cpu, uint64(cpu))
	s.beliefs.ensure(trace.TID(len(b.Threads) - 1))
	for i := range s.threads {
		th := b.Threads[i]
		th.Ctx = cpu
		s.core.SetThread(trace.TID(i), th)
		s.core.edit(trace.TID(i)).own = b.Own[i]
	}
	for _, k := range b.Blocks {
		if k.Given {
			s.Heap().Give(k.Block)
		} else {
			s.Heap().Take(k.Block.Family, k.Block.Addr, k.Block.Back)
		}
	}
	s.scheduling, s.calls.bootBlocks, s.paged, s.asked = b.Scheduling, b.Blocks, b.Paged, b.Asked
	s.machine.Put(&s.looked, s.machine.Journal())
	return nil
}
