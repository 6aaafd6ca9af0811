// Package stores has a processor's store buffer, as x86-TSO has it: what a thread has stored and
// other threads don't see yet. It knows neither the machine nor threads. Package scheduler says
// when a store goes in and when the oldest entry goes to memory (scheduler/buffer.go).
//
// Invariant: a Buffer is a plain value. A change makes another one, and leaves those that were
// copied as they are.
package stores

import (
	"slices"

	"landgo/internal/trace"
)

// Buffer is a thread's store buffer, and what the thread has stored since it last waited for it.
type Buffer struct {
	queue  []Entry   // oldest first
	recent []ordinal // the stores since the thread last waited for all, oldest first
	number uint64    // of the newest entry, see perInstruction
	pushed uint32    // entries that it has ever had
	inStep bool      // the newest entry is of the step under way
	stored bool      // since the thread last waited for all
}

// Entry has the stores of one step. It isn't changed.
type Entry struct {
	Parts []Part
	// Number is by which schedules name its way to memory.
	Number uint64
}

// Part is one store.
type Part struct {
	trace.Access
	Bytes []byte // none: its page is gone
}

// ordinal is an access of the thread's n-th entry, from 1.
type ordinal struct {
	addr, size uint64
	n          uint32
}

// perInstruction is how many stores of one instruction a buffer's numbers tell apart. A buffer's
// instruction number, by which schedules name its steps, is that of the thread's
// instruction whose store it has written last, times this. How much of memory is known
// to be shared, and so goes through the buffer, makes no difference to it.
const perInstruction = 16

// Queue are the entries, oldest first, to be looked at.
func (b *Buffer) Queue() []Entry { return b.queue }

// Empty reports whether all stores are in memory.
func (b *Buffer) Empty() bool { return len(b.queue) == 0 }

// Pushed is how many entries there ever were, and Updated how many of them have gone to memory.
func (b *Buffer) Pushed() uint32  { return b.pushed }
func (b *Buffer) Updated() uint32 { return b.pushed - uint32(len(b.queue)) }

// InStep reports whether the newest entry is of the step under way.
func (b *Buffer) InStep() bool { return b.inStep }

// Push puts a store of the thread's instruction number insn in. first: it is the step's first,
// and makes an entry.
func (b Buffer) Push(a trace.Access, bytes []byte, insn uint64) (after Buffer, first bool) {
	o := ordinal{addr: a.Addr, size: uint64(a.Size)}
	a.Flags &^= trace.Buffered | trace.Silent
	p := Part{a, bytes}
	r := new(room)
	if first = !b.inStep; !first {
		last := len(b.queue) - 1
		b.queue = slices.Clone(b.queue)
		b.queue[last].Parts = append(slices.Clone(b.queue[last].Parts), p)
	} else {
		b.number = max(insn*perInstruction, b.number+1)
		r.part[0] = p
		r.entry[0] = Entry{Parts: r.part[:], Number: b.number}
		if len(b.queue) == 0 {
			b.queue = r.entry[:]
		} else {
			b.queue = append(slices.Clip(b.queue), r.entry[0])
		}
		b.pushed++
		b.inStep, b.stored = true, true
	}
	o.n = b.pushed
	fresh := r.recent[:0]
	for _, x := range b.recent {
		if x.addr != o.addr || x.size != o.size {
			fresh = append(fresh, x)
		}
	}
	b.recent = append(fresh, o)
	return b, first
}

// room is for what a store changes, in one piece: mostly a buffer has few.
type room struct {
	part   [1]Part
	entry  [1]Entry
	recent [2]ordinal
}

// Pop takes the oldest entry out, and Drop all.
func (b Buffer) Pop() Buffer  { b.queue = b.queue[1:]; return b }
func (b Buffer) Drop() Buffer { b.queue = nil; return b }

// Rest ends a step, or begins one: the next store makes an entry.
func (b Buffer) Rest() Buffer { b.inStep = false; return b }

// Rejoin has the next store belong to the newest entry, if that is there.
func (b Buffer) Rejoin() Buffer { b.inStep = len(b.queue) > 0; return b }

// Waited: the thread has waited until all were in memory. Stored reports whether it has stored
// since then.
func (b Buffer) Waited() Buffer { b.recent, b.stored = nil, false; return b }
func (b *Buffer) Stored() bool  { return b.stored }

// Redirect changes the stores whose bytes are all inside of something. Loads there don't find
// them any more.
func (b Buffer) Redirect(inside func(addr, size uint64) bool, change func(*Part)) Buffer {
	b.queue = slices.Clone(b.queue)
	for k := range b.queue {
		parts := slices.Clone(b.queue[k].Parts)
		for n := range parts {
			if p := &parts[n]; inside(p.Addr, uint64(p.Size)) {
				change(p)
			}
		}
		b.queue[k].Parts = parts
	}
	b.recent = slices.DeleteFunc(slices.Clone(b.recent), func(o ordinal) bool { return inside(o.addr, o.size) })
	return b
}

// List lists the stores, oldest first.
func (b *Buffer) List() (list []trace.Access) {
	for i := range b.queue {
		for k := range b.queue[i].Parts {
			list = append(list, b.queue[i].Parts[k].Access)
		}
	}
	return list
}

// Overlay puts the stores over the bytes of memory from an address on.
func (b *Buffer) Overlay(bytes []byte, addr uint64) {
	for i := range b.queue {
		for k := range b.queue[i].Parts {
			p := &b.queue[i].Parts[k]
			for n, v := range p.Bytes {
				if at := p.Addr + uint64(n) - addr; at < uint64(len(bytes)) {
					bytes[at] = v
				}
			}
		}
	}
}

// Hash adds the stores to a hash. One that has left answers no load, and no load waits for it.
func (b *Buffer) Hash(h *trace.Hash) {
	for i := range b.queue {
		h.Word(uint64(len(b.queue[i].Parts)))
		for k := range b.queue[i].Parts {
			p := &b.queue[i].Parts[k]
			h.Words(p.Addr, uint64(p.Size))
			h.Text(string(p.Bytes))
		}
	}
}
