package steer

import (
	"errors"
	"slices"
	"testing"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
)

const (
	table   = 0x6000 // the interrupt descriptor table
	handler = 0x1234
)

// withGate puts a gate for a vector into a kernel's table.
func withGate(k *Kernel, vector uint8, kind uint64) {
	size := 2 * k.wordSize
	k.control.IDT, k.control.IDTLimit = table, 256*size-1
	at := table + uint64(vector)*size
	k.machine.Write64(at, handler|8<<16|(gatePresent|kind<<8)<<32)
	if k.wordSize == 8 {
		k.machine.Write64(at+8, 0)
	}
}

// TestDeliver: an interrupt's frame is the one that the processor pushes, and the handler begins
// with interrupts off, by an interrupt gate.
func TestDeliver(t *testing.T) {
	for _, c := range []struct {
		name    string
		machine elffile.Machine
		kind    uint64
		code    []uint64
		frame   []uint64 // from the handler's stack pointer up
		on      bool
		sp      uint64
	}{
		{"i386", elffile.I386, gateInterrupt, nil, []uint64{0x1100, 8, abi.IF | 2}, false, 0x8ffc},
		{"i386 with a code", elffile.I386, gateInterrupt, []uint64{5}, []uint64{5, 0x1100, 8, abi.IF | 2}, false, 0x8ff8},
		{"i386 by a trap gate", elffile.I386, gateTrap, nil, []uint64{0x1100, 8, abi.IF | 2}, true, 0x8ffc},
		{"x86-64", elffile.X86_64, gateInterrupt, nil, []uint64{0x1100, 8, abi.IF | 2, 0x9008, 16}, false, 0x8fd8},
	} {
		k, _ := newKernel(t, c.machine, ownThread{State: ownReady})
		withGate(k, 0x20, c.kind)
		k.proc.regs, k.proc.set = emu.Regs{RIP: 0x1100, RSP: 0x9008, RFLAGS: abi.IF}, trace.AllRegs
		if err := k.ticker.deliver(&k.threads[0], 0x20, c.code...); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if k.proc.regs.RIP != handler || k.proc.regs.RSP != c.sp || k.on.Get() != c.on || (k.proc.regs.RFLAGS&abi.IF != 0) != c.on {
			t.Errorf("%s: the handler begins with %+v, interrupts are %t", c.name, k.proc.regs, k.on.Get())
		}
		var frame []uint64
		for i := range c.frame {
			v, _ := k.Word(k.proc.regs.RSP + uint64(i)*k.wordSize)
			frame = append(frame, v)
		}
		if !slices.Equal(frame, c.frame) {
			t.Errorf("%s: the frame is %#x, not %#x", c.name, frame, c.frame)
		}
	}
}

// TestReturnFromInterrupt: iret takes back what was pushed.
func TestReturnFromInterrupt(t *testing.T) {
	for _, machine := range []elffile.Machine{elffile.I386, elffile.X86_64} {
		k, _ := newKernel(t, machine, ownThread{State: ownReady})
		withGate(k, 0x20, gateInterrupt)
		was := emu.Regs{RIP: 0x1100, RSP: 0x9000, RFLAGS: abi.IF | 2, RBX: 7}
		k.proc.regs, k.proc.set = was, trace.AllRegs
		if err := k.ticker.deliver(&k.threads[0], 0x20); err != nil {
			t.Fatal(err)
		}
		u := turn{th: &k.threads[0], tr: &trace.Transition{}, ticking: true, until: &was}
		if h, err := k.exec.interruptReturn(&u); err != nil || h != atOn {
			t.Fatalf("%v: %d, %v", machine, h, err)
		}
		if k.proc.regs != was || !k.on.Get() {
			t.Errorf("%v: %+v, interrupts are %t", machine, k.proc.regs, k.on.Get())
		}
	}
}

// TestNoGate: an interrupt without a gate, or without a stack, is the kernel's fault.
func TestNoGate(t *testing.T) {
	k, _ := newKernel(t, elffile.I386, ownThread{State: ownReady})
	k.proc.regs, k.proc.set = emu.Regs{RIP: 0x1100, RSP: 0x9000}, trace.AllRegs
	var un *undeliverableError
	if err := k.ticker.deliver(&k.threads[0], 0x20); !errors.As(err, &un) || un.kind != trace.Segfault {
		t.Errorf("no table: %v", err)
	}
	withGate(k, 0x20, gateInterrupt)
	if err := k.ticker.deliver(&k.threads[0], 0x21); !errors.As(err, &un) {
		t.Errorf("no gate: %v", err)
	}
	k.proc.regs.RSP = 1 << 30
	if err := k.ticker.deliver(&k.threads[0], 0x20); !errors.As(err, &un) {
		t.Errorf("no stack: %v", err)
	}
}

// TestWrongReturn: a handler has to leave alone what isn't its own.
func TestWrongReturn(t *testing.T) {
	was := emu.Regs{RIP: 0x1100, RSP: 0x9000, RFLAGS: abi.IF, RBX: 7, R9: 1}
	for _, c := range []struct {
		name   string
		change func(r *emu.Regs)
		flags  uint64
		wrong  bool
	}{
		{"as it was", func(*emu.Regs) {}, abi.IF, false},
		{"another ebx", func(r *emu.Regs) { r.RBX = 8 }, abi.IF, true},
		{"interrupts off", func(*emu.Regs) {}, 0, true},
		{"the carry", func(*emu.Regs) {}, abi.IF | 1, true},
		{"elsewhere", func(r *emu.Regs) { r.RIP, r.RBX = 0x1200, 8 }, abi.IF, false},
	} {
		k, _ := newKernel(t, elffile.I386, ownThread{State: ownReady})
		k.proc.regs = was
		c.change(&k.proc.regs)
		if why := k.exec.wrongReturn(&turn{ticking: true, until: &was}, c.flags); (why != "") != c.wrong {
			t.Errorf("%s: %q", c.name, why)
		}
	}
}

// TestPorts: in and out reach the board, in their own size.
func TestPorts(t *testing.T) {
	for _, c := range []struct {
		name string
		code []byte
		p    portInsn
		ok   bool
	}{
		{"in %dx,%al", []byte{0xec}, portInsn{size: 1, length: 1}, true},
		{"out %eax,%dx", []byte{0xef}, portInsn{out: true, size: 4, length: 1}, true},
		{"out %ax,%dx", []byte{0x66, 0xef}, portInsn{out: true, size: 2, length: 2}, true},
		{"in $0x60,%al", []byte{0xe4, 0x60}, portInsn{immediate: true, port: 0x60, size: 1, length: 2}, true},
		{"out %al,$0x20", []byte{0xe6, 0x20}, portInsn{out: true, immediate: true, port: 0x20, size: 1, length: 2}, true},
		{"rep insl", []byte{0xf3, 0x6d}, portInsn{strings: true, repeats: true, size: 4, length: 2}, true},
		{"outsw", []byte{0x66, 0x6f}, portInsn{out: true, strings: true, size: 2, length: 2}, true},
		{"rep in", []byte{0xf3, 0xec}, portInsn{size: 1, length: 2}, true},
		{"rep insb in 64-bit code", []byte{0xf3, 0x48, 0x6c}, portInsn{}, false},
	} {
		if p, ok := decodePort(c.code); ok != c.ok || ok && p != c.p {
			t.Errorf("%s: %+v, %v", c.name, p, ok)
		}
	}
	k, b := newKernel(t, elffile.I386, ownThread{State: ownReady})
	k.machine.Write(0x8000, []byte{0xee}) // out %al,%dx
	k.proc.regs = emu.Regs{RIP: 0x8000, RDX: 0x3f8, RAX: 0x1241}
	u := turn{th: &k.threads[0], tr: &trace.Transition{}}
	if h, err := k.exec.port(&u); err != nil || h != atNothing || b.ports[0x3f8] != 0x41 || k.proc.regs.RIP != 0x8001 || k.ports.Get() != 1 {
		t.Errorf("out: %d, %v; port %#x, at %#x, %d accesses", h, err, b.ports[0x3f8], k.proc.regs.RIP, k.ports.Get())
	}
	k.machine.Write(0x8001, []byte{0xec}) // in %dx,%al
	b.ports[0x3f8] = 0xff
	b.Timer()
	if h, err := k.exec.port(&u); err != nil || h != atOn || k.proc.regs.RAX != 0x12ff {
		t.Errorf("in: %d, %v, rax %#x", h, err, k.proc.regs.RAX)
	}
}
