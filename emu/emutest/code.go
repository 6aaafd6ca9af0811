// Package emutest writes the code of guests that need no engine, as scripts
// (emu.Script). Tests of packages above emu use it: a whole step of a thread runs, with
// the machine's own stops and records, and each instruction is a function of Go.
//
// Invariant: an instruction's bytes are those of an instruction of its kind, so the
// machine takes it for what it does.
package emutest

import (
	"encoding/binary"

	"landgo/emu"
)

// Code is a script that is being written, one instruction behind the other.
type Code struct {
	Script emu.Script
	lo, at uint64
	hi     uint64 // the highest end of an instruction
}

// New begins code at an address.
func New(at uint64) *Code { return &Code{Script: emu.Script{}, lo: at, at: at} }

// Here is the address of the next instruction.
func (c *Code) Here() uint64 { return c.at }

// At goes on at another address, not before the beginning.
func (c *Code) At(addr uint64) *Code {
	c.at = addr
	return c
}

// Put puts the code's bytes into a machine, on pages that can be executed.
func (c *Code) Put(m *emu.Machine) {
	if err := m.Load(c.lo, c.Bytes()); err != nil {
		panic(err)
	}
	const page = 1 << 12
	lo, hi := c.lo&^(page-1), (c.hi+page)&^(page-1)
	m.Protect(lo, hi-lo, emu.ProtRead|emu.ProtExec)
}

// Bytes are the code's bytes, from its beginning on.
func (c *Code) Bytes() []byte {
	p := make([]byte, c.hi-c.lo)
	for at, insn := range c.Script {
		copy(p[at-c.lo:], insn.Bytes)
	}
	return p
}

func (c *Code) add(do func(*emu.CPU), bytes ...byte) *Code {
	c.Script[c.at] = emu.Insn{Bytes: bytes, Do: do}
	c.at += uint64(len(bytes))
	c.hi = max(c.hi, c.at)
	return c
}

// Do is a plain instruction.
func (c *Code) Do(do func(*emu.CPU)) *Code { return c.add(do, 0x90) }

// Nop does nothing.
func (c *Code) Nop() *Code { return c.Do(nil) }

// Set has RAX be a number.
func (c *Code) Set(v uint64) *Code { return c.Do(func(p *emu.CPU) { p.RAX = v }) }

// Load reads 4 bytes into RAX.
func (c *Code) Load(addr uint64) *Code {
	return c.Do(func(p *emu.CPU) { p.RAX = p.Load(addr, 4) })
}

// Store writes the lower 4 bytes of RAX.
func (c *Code) Store(addr uint64) *Code {
	return c.Do(func(p *emu.CPU) { p.Store(addr, 4, p.RAX&0xffffffff) })
}

// Put4 writes 4 bytes.
func (c *Code) Put4(addr, v uint64) *Code {
	return c.Do(func(p *emu.CPU) { p.Store(addr, 4, v) })
}

// Add adds to 4 bytes, without a lock.
func (c *Code) Add(addr, n uint64) *Code {
	return c.Do(func(p *emu.CPU) { p.Store(addr, 4, (p.Load(addr, 4)+n)&0xffffffff) })
}

// LockAdd does so with one: lock addl. RAX gets the old value, as of lock xadd.
func (c *Code) LockAdd(addr, n uint64) *Code {
	return c.add(func(p *emu.CPU) {
		v := p.Load(addr, 4)
		p.Store(addr, 4, (v+n)&0xffffffff)
		p.RAX = v
	}, 0xf0, 0x0f, 0xc1, 0x00)
}

// Exchange is xchg: RAX and 4 bytes change places.
func (c *Code) Exchange(addr uint64) *Code {
	return c.add(func(p *emu.CPU) {
		v := p.Load(addr, 4)
		p.Store(addr, 4, p.RAX&0xffffffff)
		p.RAX = v
	}, 0x87, 0x00)
}

// Compare is lock cmpxchg: 4 bytes that are as RAX become v; else RAX becomes as they are.
func (c *Code) Compare(addr, v uint64) *Code {
	return c.add(func(p *emu.CPU) {
		if was := p.Load(addr, 4); was == p.RAX&0xffffffff {
			p.Store(addr, 4, v)
		} else {
			p.Store(addr, 4, was) // the manual: it writes in any case
			p.RAX = was
		}
	}, 0xf0, 0x0f, 0xb1, 0x08)
}

// Jump goes to an address.
func (c *Code) Jump(to uint64) *Code {
	return c.add(func(p *emu.CPU) { p.RIP = to }, c.jump(to, 0xe9)...)
}

// JumpIf does so if a condition holds.
func (c *Code) JumpIf(holds func(*emu.CPU) bool, to uint64) *Code {
	return c.add(func(p *emu.CPU) {
		if holds(p) {
			p.RIP = to
		}
	}, c.jump(to, 0x0f, 0x85)...)
}

// jump is a jump's bytes: static analyses follow them.
func (c *Code) jump(to uint64, opcode ...byte) []byte {
	n := uint64(len(opcode)) + 4
	return binary.LittleEndian.AppendUint32(opcode, uint32(to-c.at-n))
}

// Zero and NotZero look at RAX.
func Zero(p *emu.CPU) bool    { return p.RAX == 0 }
func NotZero(p *emu.CPU) bool { return p.RAX != 0 }

// Pause is the hint of a loop that waits.
func (c *Code) Pause() *Code { return c.add(nil, 0xf3, 0x90) }

// Fence is mfence.
func (c *Code) Fence() *Code { return c.add(nil, 0x0f, 0xae, 0xf0) }

// Syscall calls the kernel: number nr, and its arguments.
func (c *Code) Syscall(nr uint64, args ...uint64) *Code {
	c.Do(func(p *emu.CPU) {
		p.RAX = nr
		for i, r := range []*uint64{&p.RDI, &p.RSI, &p.RDX, &p.R10, &p.R8, &p.R9} {
			*r = 0
			if i < len(args) {
				*r = args[i]
			}
		}
	})
	return c.Enter()
}

// Enter is the instruction syscall, with the registers as they are.
func (c *Code) Enter() *Code { return c.add(nil, 0x0f, 0x05) }

// Trap is int n.
func (c *Code) Trap(n byte) *Code { return c.add(nil, 0xcd, n) }

// Illegal is ud2.
func (c *Code) Illegal() *Code { return c.add(nil, 0x0f, 0x0b) }

// Put8 writes 8 bytes.
func (c *Code) Put8(addr, v uint64) *Code {
	return c.Do(func(p *emu.CPU) { p.Store(addr, 8, v) })
}

// Call calls a function.
func (c *Code) Call(to uint64) *Code {
	next := c.at + 5
	return c.add(func(p *emu.CPU) {
		p.Store(p.RSP-8, 8, next)
		p.RSP -= 8
		p.RIP = to
	}, c.jump(to, 0xe8)...)
}

// Return returns from one.
func (c *Code) Return() *Code {
	return c.add(func(p *emu.CPU) {
		p.RIP = p.Load(p.RSP, 8)
		p.RSP += 8
	}, 0xc3)
}

// As is an instruction with other bytes.
func (c *Code) As(do func(*emu.CPU), bytes ...byte) *Code { return c.add(do, bytes...) }

// Instructions that a kernel carries out, or landgo for it: hlt, cli, sti, iretq, and out of
// AL to a port.
func (c *Code) Halt() *Code          { return c.add(nil, 0xf4) }
func (c *Code) Cli() *Code           { return c.add(nil, 0xfa) }
func (c *Code) Sti() *Code           { return c.add(nil, 0xfb) }
func (c *Code) Iret() *Code          { return c.add(nil, 0x48, 0xcf) }
func (c *Code) Out(port uint8) *Code { return c.add(nil, 0xe6, port) }

// LoadStack is mov %rcx, %rsp.
func (c *Code) LoadStack() *Code { return c.add(func(p *emu.CPU) { p.RSP = p.RCX }, 0x48, 0x89, 0xcc) }
