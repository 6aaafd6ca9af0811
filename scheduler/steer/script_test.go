package steer

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"landgo/emu"
	"landgo/emu/emutest"
	"landgo/internal/image"
	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// A small kernel for x86-64 as a script (emu.Script). It has threads in a ring, a scheduler that
// takes the next one that is ready, and a timer's handler that calls it. It has waits, wake-ups
// and sleeps. Its annotations describe that to landgo, or a profile does.
const (
	kCode, kCodeEnd = 0x1000, 0x6000
	kHandler        = 0x1200 // of the timer
	kSchedule       = 0x1400
	kExit           = 0x1500
	kIdle           = 0x1600
	kWait           = 0x1640
	kSleep          = 0x16c0
	kWake           = 0x1740
	kTrap           = 0x17c0 // of int 0x30
	kIllegal        = 0x17e0 // of ud2
	kBoot           = 0x1800
	kBody           = 0x2000 // of thread i: behind that, by 0x200

	kCurrent = 0x8000
	kTicks   = 0x8040
	kIdler   = 0x8080 // names the idle thread
	kShared  = 0x8100 // numbers that threads share
	kThread  = 0x9000 // structures of threads
	kSize    = 0x40
	kTable   = 0xa000 // of interrupts
	kStack   = 0x10000
	kOff     = 0x10 // the port that switches the machine off

	// Of a structure.
	kState, kSP, kWakes = 0, 8, 16

	isReady, isBlocked, isEnded, isSleeping = 1, 2, 3, 4
)

func kTell(kind tellKind) uint64 { return kCode + 0x10*uint64(kind) }

// number is thread i as the kernel calls it; the last one is the idle one.
func number(i int) uint64   { return kThread + kSize*uint64(i) }
func stackTop(i int) uint64 { return kStack + 0x1000*uint64(i+1) }

// shared is where a number is that threads share.
func shared(n int) uint64 { return kShared + 8*uint64(n) }

// guest is a kernel that runs.
type guest struct {
	*Kernel
	board *offBoard
	root  trace.Mark
}

// offBoard is a board with a port that switches the machine off.
type offBoard struct {
	fakeBoard
	off    emu.Flag
	status uint64
	m      *emu.Machine
}

func (b *offBoard) Out(port uint16, size uint8, v uint32) error {
	if port == kOff {
		b.m.PutFlag(&b.off, true)
		b.status = uint64(v)
	}
	return nil
}
func (b *offBoard) Ended() (uint64, bool) { return b.status, b.off.Get() }

// tells calls an annotation for the thread whose number do finds.
func tells(c *emutest.Code, kind tellKind, of func(*emu.CPU) uint64) {
	c.Do(func(p *emu.CPU) { p.RDI = of(p) }).Call(kTell(kind))
}

func current(p *emu.CPU) uint64 { return p.Load(kCurrent, 8) }

// told is how a kernel's scheduler is known.
type told struct {
	profile *profile.OwnKernel // nil: by annotations
	late    bool               // the variable that says which thread runs is assigned behind the switch of stacks
}

// kernelOf writes the kernel, with threads that run these parts.
func kernelOf(how told, parts []func(*emutest.Code)) *emutest.Code {
	n, idle := len(parts), len(parts)
	c := emutest.New(kCode)
	for kind := range numTells {
		c.At(kTell(kind)).Return()
	}
	c.At(kHandler).Do(func(p *emu.CPU) {
		for i, v := range []uint64{p.RAX, p.RBX, p.RCX, p.RDX, p.RDI, p.RSI, p.R12} {
			p.Store(p.RSP-8*uint64(i+1), 8, v)
		}
		p.RSP -= 56
	})
	c.Do(func(p *emu.CPU) { p.Store(kTicks, 8, p.Load(kTicks, 8)+1) })
	for i := range n { // a tick wakes those whose time has come
		over := c.Here() + 1 + 6 + 1 + 1 + 5
		c.Do(func(p *emu.CPU) {
			p.RAX = 0
			if p.Load(number(i)+kState, 4) == isSleeping && p.Load(number(i)+kWakes, 8) <= p.Load(kTicks, 8) {
				p.RAX = 1
			}
		})
		c.JumpIf(emutest.Zero, over)
		c.Do(func(p *emu.CPU) { p.Store(number(i)+kState, 4, isReady) })
		tells(c, tellReady, func(*emu.CPU) uint64 { return number(i) })
	}
	c.Call(kSchedule)
	c.Do(func(p *emu.CPU) {
		for i, r := range []*uint64{&p.R12, &p.RSI, &p.RDI, &p.RDX, &p.RCX, &p.RBX, &p.RAX} {
			*r = p.Load(p.RSP+8*uint64(i), 8)
		}
		p.RSP += 56
	}).Iret()

	c.At(kSchedule)
	c.Do(func(p *emu.CPU) { // the next one in the ring that is ready, else the idle one
		p.RBX, p.RAX = current(p), number(idle)
		at := int((p.RBX - kThread) / kSize)
		for k := 1; k <= n+1; k++ {
			if i := (at + k) % (n + 1); i < n && p.Load(number(i)+kState, 4) == isReady {
				p.RAX = number(i)
				break
			}
		}
	})
	stay := c.Here() + 6 + 1 + 1 + 1 + 5 + 1 + 3
	assigns := func(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.Store(kCurrent, 8, p.RAX) }) }
	if how.late {
		stay++ // the assignment would come behind the switch
	}
	c.JumpIf(func(p *emu.CPU) bool { return p.RAX == p.RBX }, stay)
	c.Do(func(p *emu.CPU) { p.Store(p.RBX+kSP, 8, p.RSP) })
	if how.late {
		c.Nop()
	} else {
		assigns(c)
	}
	tells(c, tellSwitch, func(p *emu.CPU) uint64 { return p.RAX })
	c.Do(func(p *emu.CPU) { p.RCX = p.Load(p.RAX+kSP, 8) })
	if c.LoadStack(); how.late {
		assigns(c)
	}
	c.Return()

	c.At(kExit).Cli()
	c.Do(func(p *emu.CPU) { p.Store(current(p)+kState, 4, isEnded) })
	tells(c, tellExited, current)
	c.Do(func(p *emu.CPU) {
		p.RAX = 0
		for i := range n {
			if p.Load(number(i)+kState, 4) != isEnded {
				p.RAX = 1
			}
		}
	})
	c.JumpIf(emutest.NotZero, c.Here()+6+2).Out(kOff)
	c.Call(kSchedule)

	c.At(kIdle).Sti().Halt().Jump(kIdle)

	c.At(kWait).Cli()
	c.Do(func(p *emu.CPU) { p.Store(current(p)+kState, 4, isBlocked) })
	tells(c, tellUnready, current)
	c.Call(kSchedule).Sti().Return()

	c.At(kSleep).Cli() // RDX ticks
	c.Do(func(p *emu.CPU) {
		p.Store(current(p)+kWakes, 8, p.Load(kTicks, 8)+p.RDX)
		p.Store(current(p)+kState, 4, isSleeping)
	})
	tells(c, tellSleep, current)
	c.Call(kSchedule).Sti().Return()

	c.At(kWake).Cli() // RDX is a thread
	c.Do(func(p *emu.CPU) { p.Store(p.RDX+kState, 4, isReady) })
	tells(c, tellReady, func(p *emu.CPU) uint64 { return p.RDX })
	c.Sti().Return()

	c.At(kTrap).Do(func(p *emu.CPU) { p.Store(shared(9), 4, p.Load(shared(9), 4)+1) }).Iret()

	c.At(kIllegal)
	c.JumpIf(func(p *emu.CPU) bool { return p.Load(shared(8), 4) == 0 }, c.Here()+6+1+2)
	c.Do(func(p *emu.CPU) { p.Store(p.RSP, 8, p.Load(p.RSP, 8)+2) }).Iret() // go on behind it
	c.Cli().Halt()

	c.At(kBoot).Do(func(p *emu.CPU) {
		*p.Board = emu.BoardRegs{CS: 8, SS: 16, IDT: kTable, IDTLimit: 16*256 - 1}
		p.Store(kIdler, 8, number(idle))
		for i := range n + 1 {
			top := stackTop(i)
			p.Store(number(i)+kState, 4, isReady)
			p.Store(number(i)+kSP, 8, top-8)
			p.Store(top-8, 8, kBody+0x200*uint64(i))
		}
	})
	for i := range n + 1 {
		tells(c, tellCreated, func(*emu.CPU) uint64 { return number(i) })
		c.Do(func(p *emu.CPU) { p.RSI = stackTop(i) - 0x1000 })
		tells(c, tellStack, func(*emu.CPU) uint64 { return number(i) })
		if i < n {
			tells(c, tellReady, func(*emu.CPU) uint64 { return number(i) })
		} else {
			tells(c, tellIdle, func(*emu.CPU) uint64 { return number(i) })
		}
	}
	c.Do(func(p *emu.CPU) { p.Store(kCurrent, 8, number(0)) })
	tells(c, tellSwitch, func(*emu.CPU) uint64 { return number(0) })
	c.Call(kTell(tellBooted)).Jump(kBody)
	for i, part := range parts {
		c.At(kBody + 0x200*uint64(i)).Sti().Nop() // interrupts come behind the next instruction
		part(c)
		c.Jump(kExit)
	}
	c.At(kBody + 0x200*uint64(idle)).Jump(kIdle)
	return c
}

// described is the profile of that kernel.
func described(n int) *profile.OwnKernel {
	return &profile.OwnKernel{
		Booted: kTell(tellBooted), State: debuginfo.Member{Offset: kState, Size: 4}, Ready: []int64{isReady}, Ended: []int64{isEnded},
		Current: kCurrent, Idle: []uint64{kIdler}, Size: kSize, Tables: []elffile.Range{{Lo: number(0), Hi: number(n)}},
		Sleep: map[uint64]profile.SleepTime{kSleep: {}},
	}
}

// bootScript boots the kernel: with annotations, or with a profile.
func bootScript(t testing.TB, cfg scheduler.Config, how told, roles map[uint64]profile.Bound, parts ...func(*emutest.Code)) *guest {
	t.Helper()
	code := kernelOf(how, parts)
	names := map[string]uint64{}
	for kind, name := range tellNames {
		names[profile.TellPrefix+name] = kTell(tellKind(kind))
	}
	file := elfFile(t, code.Bytes(), names)
	m, err := emu.New(emu.Config{Space: 2 << 20, Code: []emu.Range{{Lo: kCode, Hi: kCodeEnd}}, Uniprocessor: true, Bare: true, NoEngine: true, Script: code.Script,
		Heap: emu.Range{Hi: 1 << 20}, HeapOpen: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	code.Put(m)
	m.Protect(kCode, kCodeEnd-kCode, emu.ProtRead|emu.ProtExec)
	m.Protect(kCodeEnd, 1<<20-kCodeEnd, emu.ProtRead|emu.ProtWrite)
	gate := func(vector, to uint64) { m.Write64(kTable+16*vector, to|8<<16|(gatePresent|gateInterrupt<<8)<<32) }
	gate(0x20, kHandler)
	gate(0x30, kTrap)
	gate(6, kIllegal)
	if cfg.Points == 0 {
		cfg.Points = trace.PointMem
	}
	if cfg.StepBudget == 0 {
		cfg.StepBudget = 1_000_000
	}
	cfg.MaxThreads = 16
	b := &offBoard{fakeBoard: fakeBoard{ports: map[uint16]uint32{}}, m: m}
	k := New(scheduler.New(cfg, m, image.Of(file)), Board{Ports: b, Interrupts: b, Devices: b}, roles, how.profile)
	if err := k.Boot(&emu.Regs{RIP: kBoot, RSP: stackTop(0), RFLAGS: 2}); err != nil {
		t.Fatal(err)
	}
	g := &guest{Kernel: k, board: b}
	g.root = k.Mark()
	return g
}

// elfFile is a kernel's file, with code at kCode and the names of functions.
func elfFile(t testing.TB, code []byte, names map[string]uint64) *elffile.File {
	t.Helper()
	var symbols, strings bytes.Buffer
	write := func(b *bytes.Buffer, v any) { binary.Write(b, binary.LittleEndian, v) }
	strings.WriteByte(0)
	write(&symbols, elf.Sym64{})
	for _, name := range slices.Sorted(maps.Keys(names)) {
		write(&symbols, elf.Sym64{Name: uint32(strings.Len()), Info: uint8(elf.STB_GLOBAL)<<4 | uint8(elf.STT_FUNC), Shndx: 1, Value: names[name], Size: 1})
		strings.WriteString(name + "\x00")
	}
	const header, segment, section, text = 64, 56, 64, 0x1000
	atSymbols := uint64(text + len(code))
	atStrings := atSymbols + uint64(symbols.Len())
	atSections := atStrings + uint64(strings.Len())
	var f bytes.Buffer
	h := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1, Entry: kBoot, Phoff: header, Shoff: atSections,
		Ehsize: header, Phentsize: segment, Phnum: 1, Shentsize: section, Shnum: 4, Shstrndx: 3}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	write(&f, h)
	size := uint64(len(code))
	write(&f, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: text, Vaddr: kCode, Paddr: kCode, Filesz: size, Memsz: size, Align: 0x1000})
	f.Write(make([]byte, text-f.Len()))
	f.Write(code)
	f.Write(symbols.Bytes())
	f.Write(strings.Bytes())
	write(&f, elf.Section64{})
	write(&f, elf.Section64{Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Addr: kCode, Off: text, Size: size})
	write(&f, elf.Section64{Type: uint32(elf.SHT_SYMTAB), Off: atSymbols, Size: uint64(symbols.Len()), Link: 3, Info: 1, Entsize: 24})
	write(&f, elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: atStrings, Size: uint64(strings.Len())})
	file, err := elffile.Parse("kernel", bytes.NewReader(f.Bytes()), int64(f.Len()))
	if err != nil {
		t.Fatal(err)
	}
	file.Kernel = elffile.Bare
	return file
}

// verdict says how the kernel was left.
func (g *guest) verdict() string {
	for i := range g.threads {
		if f := g.threads[i].Failure; f != nil {
			return string(f.Kind) + ": " + f.Message
		}
	}
	if g.board.off.Get() {
		return "ends"
	}
	if f := g.Stuck(false); f != nil {
		return string(f.Kind) + ": " + f.Message
	}
	return "stops"
}

// values are numbers that threads share.
func (g *guest) values(n ...int) (v []uint64) {
	for _, i := range n {
		v = append(v, uint64(g.machine.Read32(shared(i))))
	}
	return v
}
