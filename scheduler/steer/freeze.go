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
func (c *calls) keepBlock(b heap.Block, given bool) {
	if !c.in.booted.Get() {
		c.bootBlocks = append(c.bootBlocks, bootBlock{b, given})
	}
}

// Freeze is the state after Boot as bytes. It fails if something of it can't
// be kept.
func (k *Kernel) Freeze() (own []byte, machine *emu.Frozen, err error) {
	b := bootState{
		Paged: k.paged, Asked: k.asked, Scheduling: k.scheduling,
		Returns: slices.Sorted(maps.Keys(k.returns)), Blocks: k.calls.bootBlocks,
	}
	if !k.Fresh() || len(k.known.Ticked)+len(k.known.TailWords)+len(k.tried) > 0 || k.proc.set != 0 || !k.booted.Get() {
		return nil, nil, errors.New("the kernel isn't just up")
	}
	for i := range k.threads {
		b.Threads = append(b.Threads, *k.threads[i].Thread)
		b.Own = append(b.Own, k.threads[i].own)
	}
	for _, c := range k.cells.all() {
		b.Cells = append(b.Cells, c.Get())
	}
	b.Parents, b.Ordinals = k.Births()
	if own, err = kernel.Encode(b); err != nil {
		return nil, nil, err
	}
	machine, err = k.machine.Freeze(emu.Ctx(k.cpu.Get()))
	return own, machine, err
}

// Thaw takes the place of Boot. After an error the machine can't be used.
func (k *Kernel) Thaw(own []byte, machine *emu.Frozen) error {
	var b bootState
	if err := kernel.Decode(own, &b); err != nil {
		return err
	}
	if len(b.Threads) == 0 || len(b.Threads) > cap(k.threads) || len(b.Own) != len(b.Threads) || len(b.Cells) != len(k.cells.all()) || len(b.Ordinals) != len(b.Parents) {
		return errors.New("the kept state has another form")
	}
	for i, p := range b.Parents {
		if t, err := k.Intern(p, b.Ordinals[i]); err != nil || t != trace.TID(i+1) {
			return fmt.Errorf("thread %d has another name: %v", i+1, err)
		}
	}
	k.findTells()
	for _, addr := range b.Returns {
		k.returns[addr] = true
		k.machine.Break(addr, aBreak)
	}
	cpu, err := k.machine.Thaw(machine)
	if err != nil {
		return err
	}
	for i, c := range k.cells.all() {
		k.machine.Put(c, b.Cells[i])
	}
	k.machine.Put(&k.cpu, uint64(cpu))
	k.beliefs.ensure(trace.TID(len(b.Threads) - 1))
	for i := range k.threads {
		th := b.Threads[i]
		th.Ctx = cpu
		k.core.SetThread(trace.TID(i), th)
		k.core.edit(trace.TID(i)).own = b.Own[i]
	}
	for _, at := range b.Blocks {
		if at.Given {
			k.Heap().Give(at.Block)
		} else {
			k.Heap().Take(at.Block.Family, at.Block.Addr, at.Block.Back)
		}
	}
	k.scheduling, k.calls.bootBlocks, k.paged, k.asked = b.Scheduling, b.Blocks, b.Paged, b.Asked
	k.machine.Put(&k.looked, k.machine.Journal())
	return nil
}
