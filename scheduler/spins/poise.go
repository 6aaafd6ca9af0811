package spins

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"landgo/internal/abi"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// Poise is how a thread stands after a turn: equal for two that behave the same. If
// the thread left, it has what the thread has done, too.
type Poise struct {
	Stand    uint8 // scheduler.Stand
	Addr, PC uint64
	Size     uint32
	Half     uint32
	Set      trace.RegSet
	Regs     [trace.NumGeneral + 2]uint64 // the general ones, and the segments' bases
	Flags    uint64
	Stopped  trace.Regs
	FPU      trace.FPU
	Rest     trace.Digest
	Effects  uint64
	// A thread that left: what it did, which bytes are other than where the survey began, and
	// how it changed the kernel's words.
	Did    string
	Memory Memory
	Words  trace.Digest
	// Registers that nothing but pushes reads (scheduler/leftoverreg.go), and what they hold. Others hold 0
	// there.
	Saved  trace.RegSet
	Pushed [trace.NumGeneral]uint64
}

// Hide leaves out what is dead: registers, those that nothing but pushes reads, and flags.
func (p *Poise) Hide(dead, saved trace.RegSet, flags bool) {
	p.Saved = saved
	for i := range p.Pushed {
		if saved&(1<<i) != 0 {
			p.Pushed[i] = p.Regs[i]
		}
		if (dead|saved)&(1<<i) != 0 {
			p.Regs[i] = 0
		}
	}
	if flags {
		p.Flags &^= abi.Arithmetic
	}
}

// OtherPushed are the registers that nothing but pushes reads in which two states differ.
func (p *Poise) OtherPushed(q *Poise) (regs trace.RegSet) {
	for i := range p.Pushed {
		if p.Pushed[i] != q.Pushed[i] {
			regs |= 1 << i
		}
	}
	return regs
}

// Poises are those of a thread's turns, one after the other. There are few.
type Poises []Poise

// Turn is the turn before which the thread stood so, from 1; 0: none.
func (l Poises) Turn(p *Poise) uint32 {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i] == *p {
			return uint32(i) + 1
		}
	}
	return 0
}

// Memory is a list of bytes that differ from what was there, and what they are: by address, and as text
// to be compared.
type Memory string

// entry is the length of one: an address, and the byte there.
const entry = 9

// With is the list with another byte, of a higher address than those before.
func With(list []byte, addr uint64, b byte) []byte {
	return append(binary.LittleEndian.AppendUint64(list, addr), b)
}

// Unequal calls f for each byte in which two lists differ, as long as it returns true.
func (m Memory) Unequal(o Memory, f func(at uint64) bool) bool {
	x, y := []byte(m), []byte(o)
	for len(x)+len(y) > 0 {
		order := 0 // of their next addresses
		switch {
		case len(x) == 0:
			order = 1
		case len(y) == 0:
			order = -1
		default:
			order = cmp.Compare(binary.LittleEndian.Uint64(x), binary.LittleEndian.Uint64(y))
		}
		var at uint64
		same := order == 0 && x[8] == y[8]
		if order <= 0 {
			at, x = binary.LittleEndian.Uint64(x), x[entry:]
		}
		if order >= 0 {
			at, y = binary.LittleEndian.Uint64(y), y[entry:]
		}
		if !same && !f(at) {
			return false
		}
	}
	return true
}

// Apart are the bytes by which states can be told apart that are equal otherwise.
type Apart map[uint64]bool

// Add adds words.
func (a Apart) Add(words []x86.GrownWord) {
	for _, w := range words {
		for k := range w.Size {
			a[w.Addr+k] = true
		}
	}
}

// Without has a list of differences, but for these bytes.
func (a Apart) Without(memory Memory) Memory {
	if len(a) == 0 {
		return memory
	}
	var rest []byte
	for i := 0; i < len(memory); i += entry {
		if e := []byte(memory[i : i+entry]); !a[binary.LittleEndian.Uint64(e)] {
			rest = append(rest, e...)
		}
	}
	return Memory(rest)
}

// Ranges are these bytes.
func (a Apart) Ranges() (list []trace.Range) {
	for _, at := range slices.Sorted(maps.Keys(a)) {
		if n := len(list); n > 0 && list[n-1].Hi == at {
			list[n-1].Hi++
		} else {
			list = append(list, trace.Range{Lo: at, Hi: at + 1})
		}
	}
	return list
}

// Same reports whether two states are the same, but for bytes that their thread owns. It adds these.
func (a Apart) Same(p, q *Poise, owns func(at uint64) bool) bool {
	x, y := *p, *q
	x.Memory, y.Memory = "", ""
	x.Pushed = y.Pushed
	return x == y && p.Memory.Unequal(q.Memory, func(at uint64) bool {
		a[at] = true
		return owns(at)
	})
}
