package library

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"landgo/emu"
	"landgo/emu/emutest"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/linux"
	"landgo/scheduler"
)

// A program with a C library's functions as a script (emu.Script): whole steps run without an
// engine. Functions that landgo carries out have no code; pthread_create has, as in a library.
const (
	progCode   = 0x400000
	progThread = progCode + 0x1000 // of thread i: behind that, by 0x400
	progCalls  = progCode + 0x4000 // functions by their roles
	progCreate = progCode + 0x6000
	progAlloc  = progCode + 0x6800 // where own allocators get their memory
	progPool   = progCode + 0x7000 // functions of an allocator of the program's own
	progData   = 0x600000
	progStacks = 0x700000 // of thread i: behind that, by 0x2000, a page with its control block in the upper half

	mapStack = 0x800
)

// poolCalls are the functions of an allocator of the program's own.
var poolCalls = map[profile.Role]uint64{profile.Malloc: progPool, profile.Free: progPool + 16}

// program is a guest that runs.
type program struct {
	*scheduler.System
	lib  *Library
	root trace.Mark
}

// at is where a number is that threads share; each has a cache line.
func at(n int) uint64 { return progData + 64*uint64(n) }

type part = func(*emutest.Code)

func all(parts ...part) part {
	return func(c *emutest.Code) {
		for _, part := range parts {
			part(c)
		}
	}
}

// invoke calls a function by its role.
func invoke(r profile.Role, args ...uint64) part {
	return func(c *emutest.Code) {
		to := progCalls + 16*uint64(r)
		if r == profile.Create {
			to = progCreate
		}
		c.Do(func(p *emu.CPU) {
			for i, to := range []*uint64{&p.RDI, &p.RSI, &p.RDX, &p.RCX}[:len(args)] {
				*to = args[i]
			}
		}).Call(to)
	}
}

// creates has thread i be created, joins waits for its end.
func creates(i int) part {
	return all(func(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.R13 = uint64(i) }) }, invoke(profile.Create, at(100+i), 0, progThread+0x400*uint64(i), uint64(i)))
}
func joins(i int) part {
	return func(c *emutest.Code) {
		c.Do(func(p *emu.CPU) { p.RDI, p.RSI = p.Load(at(100+i), 8), 0 }).Call(progCalls + 16*uint64(profile.Join))
	}
}

func put(n int, v uint64) part { return func(c *emutest.Code) { c.Put4(at(n), v) } }
func take(from, to int) part {
	return func(c *emutest.Code) { c.Load(at(from)).Store(at(to)) }
}
func keep(n int) part { return func(c *emutest.Code) { c.Store(at(n)) } } // a call's result
func add(n int) part  { return func(c *emutest.Code) { c.Add(at(n), 1) } }

// beside runs parts in threads of their own, which the first thread creates and joins; then it
// goes on with the last part.
func beside(last part, parts ...part) (first part, threads []part) {
	var main []part
	for i := range parts {
		main = append(main, creates(i+1))
	}
	for i := range parts {
		main = append(main, joins(i+1))
	}
	return all(append(main, last)...), parts
}

// bootProgram boots a program of a first thread and others.
func bootProgram(t testing.TB, cfg scheduler.Config, opts Config, first part, threads ...part) *program {
	t.Helper()
	const exit, exitGroup, clone, flags = 60, 231, 56, 0x50f00 | 0x80000 // with thread-local storage
	c := emutest.New(progCode)
	c.Do(func(p *emu.CPU) { p.RSP -= 8 })
	first(c)
	c.Syscall(exitGroup, 0)
	for i, part := range threads {
		c.At(progThread + 0x400*uint64(i+1))
		part(c)
		c.Do(func(p *emu.CPU) { p.RAX = 7 }).Return()
	}
	roles := map[uint64]profile.Bound{progCreate: {Role: profile.Create, Name: "pthread_create"}}
	for r := profile.NoRole + 1; r < profile.NumRoles; r++ {
		c.At(progCalls + 16*uint64(r)).Return()
		if r == profile.Malloc { // of the guest's own allocators: a page from the kernel for each block
			c.At(progCalls + 16*uint64(r)).Jump(progAlloc)
		}
		if r != profile.Create {
			roles[progCalls+16*uint64(r)] = profile.Bound{Role: r, Name: r.String()}
		}
	}
	c.At(progAlloc).Syscall(9, 0, 4096, 3, 0x22, ^uint64(0), 0)
	c.Return()
	for r, to := range poolCalls {
		c.At(to).Return()
		if r == profile.Malloc {
			c.At(to).Jump(progAlloc)
		}
		if cfg.Pools {
			roles[to] = profile.Bound{Role: r, Name: "pool " + r.String(), Family: 1}
		}
	}
	c.At(progCreate).Do(func(p *emu.CPU) {
		p.R14, p.R15, p.R12 = p.RDX, p.RCX, p.RDI
		top := progStacks + 0x2000*p.R13 + mapStack
		p.RAX, p.RDI, p.RSI, p.R8 = clone, flags, top, top+0x100
	}).Enter()
	c.JumpIf(emutest.Zero, c.Here()+6+1+1)
	c.Do(func(p *emu.CPU) { p.Store(p.R12, 8, p.R8); p.RAX = 0 }).Return()
	c.As(func(p *emu.CPU) { // calls what is in a register
		p.RDI = p.R15
		p.RSP -= 8
		p.Store(p.RSP, 8, p.RIP)
		p.RIP = p.R14
	}, 0x41, 0xff, 0xd6)
	c.Syscall(exit, 0)

	code := elffile.Range{Lo: progCode, Hi: progCode + 0x8000}
	f := &elffile.File{Machine: elffile.X86_64, Entry: progCode, Code: []elffile.Range{code}, Segments: []elffile.Segment{
		{Addr: code.Lo, Data: c.Bytes(), MemSize: code.Hi - code.Lo, Read: true, Exec: true},
		{Addr: progData, MemSize: 0x4000, Read: true, Write: true},
	}}
	for i := range threads {
		f.Segments = append(f.Segments, elffile.Segment{Addr: progStacks + 0x2000*uint64(i+1), MemSize: 0x1000, Read: true, Write: true})
	}
	mc := emu.Config{Space: linux.DefaultSpace, Code: []emu.Range{{Lo: code.Lo, Hi: code.Hi}}, NoEngine: true, Script: c.Script,
		Heap: emu.Range{Lo: kernel.HeapLo, Hi: kernel.HeapHi}}
	if cfg.OwnAllocator || cfg.Pools {
		mc.Heap, mc.HeapOpen = EveryRange(), true
	}
	m, err := emu.New(mc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if cfg.Points == 0 {
		cfg.Points = trace.PointMem
	}
	cfg.MaxThreads, cfg.StepBudget = 16, 1_000_000
	s := scheduler.New(cfg, m, image.Of(f))
	l := New(s, opts)
	l.libc, l.shapes = elffile.Glibc, libcShapes[elffile.Glibc]
	k, err := linux.New(s.Host(), f, linux.Config{Args: []string{"guest"}})
	if err != nil {
		t.Fatal(err)
	}
	regs, err := k.Boot()
	if err != nil {
		t.Fatal(err)
	}
	s.Boot(k, roles, &regs)
	s.Enter()
	return &program{System: s, lib: l, root: s.Mark()}
}

// verdict says how an execution ended.
func (g *program) verdict() string {
	for i := range g.lib.threads {
		if f := g.lib.failure(trace.TID(i)); f != nil {
			return string(f.Kind) + ": " + f.Message
		}
	}
	if f := g.Stuck(false); f != nil {
		return string(f.Kind) + ": " + f.Message
	}
	return "ends"
}

// failure is the bug with which a thread has ended the guest, or nil.
func (l *Library) failure(t trace.TID) *scheduler.Failure { return l.threads[t].Failure }

// ends are how a program ends over all interleavings, with the values of some numbers.
func (g *program) ends(t testing.TB, of ...int) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(emutest.Explore(t, g.System, g.root, nil, func() string {
		var v []uint32
		for _, n := range of {
			v = append(v, g.lib.machine.Read32(at(n)))
		}
		return fmt.Sprint(v, " ", g.verdict())
	})))
}
