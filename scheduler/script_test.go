package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"landgo/emu"
	"landgo/emu/emutest"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/linux"
)

// Where a scripted guest's code is, and its data.
const (
	scriptCode = 0x400000
	scriptData = 0x600000
	scriptSize = 0x4000   // of the data; the upper half has the threads' stacks
	scriptOwn  = 0x700000 // a stack that is a thread's own
)

// scripted is a guest on the model of Linux whose instructions are functions of Go
// (emu.Script): whole steps run without an engine.
type scripted struct {
	*System
	lib  *bare
	root trace.Mark
}

// bare is the Carrier of such a guest: it calls no functions.
type bare struct {
	ordinary
	owner trace.TID           // of the lock of conditions
	naps  map[uint64]trace.Op // that handlers ended, by their frames
	own   bool                // the stacks of threads are theirs
}

func (b *bare) Born(child, _ trace.TID, _ uint64) { b.in.Thread(child).OwnStack = b.own }

func (b *bare) Interrupted(_ trace.TID, _, frame uint64, nap trace.Op) []trace.Op {
	b.naps[frame] = nap
	return nil
}

func (b *bare) ComeBack(t trace.TID, tr *trace.Transition, frame, _ uint64) bool {
	if nap := b.naps[frame]; nap.Kind != trace.OpNone {
		b.in.Naps.EndNap(t, tr, nap)
	}
	return false
}

func (*bare) EndsAt(trace.TID) uint64               { return 0 }
func (*bare) Distrust() bool                        { return false }
func (*bare) CatchUp() bool                         { return false }
func (*bare) Expect()                               {}
func (*bare) Texts(trace.TID) (last, ends uint64)   { return 0, 0 }
func (*bare) Meets(trace.TID)                       {}
func (*bare) Stands(trace.TID)                      {}
func (*bare) PendingOp(trace.TID) trace.Op          { return trace.Op{} }
func (*bare) Call(trace.TID) (trace.OpKind, uint64) { return trace.OpNone, 0 }
func (*bare) Running(trace.TID) Running             { return 0 }
func (b *bare) Owner(uint64) (trace.TID, bool)      { return b.owner, true }
func (b *bare) Yield(t trace.TID, tr *trace.Transition) Verdict {
	th, again := b.in.Thread(t), slices.ContainsFunc(tr.Ops, func(op trace.Op) bool { return op.Kind == trace.OpYield })
	th.Yielding = true
	if tr.Did(trace.Op{Kind: trace.OpYield, PC: th.Regs.RIP}); again {
		return Stay
	}
	return Pass
}

// threadsOf writes a program whose first thread creates the others, runs the first part,
// and ends; each part ends its thread. The first thread waits for none.
func threadsOf(parts ...func(*emutest.Code)) func(*emutest.Code) {
	return func(c *emutest.Code) {
		const clone, exit, vmThread = 56, 60, 0x50f00
		at := c.Here()
		begins := func(i int) uint64 { return at + 0x200*uint64(i) }
		for i := range parts[1:] {
			c.Syscall(clone, vmThread, scriptStack(i+1))
			c.JumpIf(emutest.Zero, begins(i+1))
		}
		parts[0](c)
		c.Syscall(exit, 0)
		for i, part := range parts[1:] {
			c.At(begins(i + 1))
			part(c)
			c.Syscall(exit, 0)
		}
	}
}

// scriptStack is where a thread's stack begins.
func scriptStack(i int) uint64 { return scriptData + scriptSize - 0x200*uint64(i) }

// script boots a program.
func script(t testing.TB, cfg Config, program func(*emutest.Code)) *scripted {
	t.Helper()
	g := boot(t, cfg, program)
	g.root = g.Mark()
	return g
}

// boot does so without a mark of the root.
func boot(t testing.TB, cfg Config, program func(*emutest.Code)) *scripted {
	t.Helper()
	c := emutest.New(scriptCode)
	program(c)
	code := elffile.Range{Lo: scriptCode, Hi: scriptCode + 0x4000}
	bytes := c.Bytes()
	if uint64(len(bytes)) > code.Hi-code.Lo {
		t.Fatalf("%d bytes of code", len(bytes))
	}
	f := &elffile.File{Machine: elffile.X86_64, Entry: scriptCode, Code: []elffile.Range{code}, Segments: []elffile.Segment{
		{Addr: code.Lo, Data: bytes, MemSize: code.Hi - code.Lo, Read: true, Exec: true},
		{Addr: scriptData, MemSize: scriptSize, Read: true, Write: true},
		{Addr: scriptOwn, MemSize: 0x1000, Read: true, Write: true},
	}}
	m, err := emu.New(emu.Config{Space: linux.DefaultSpace, Code: []emu.Range{{Lo: code.Lo, Hi: code.Hi}}, NoEngine: true, Script: c.Script,
		Heap: emu.Range{Lo: kernel.HeapLo, Hi: kernel.HeapHi}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if cfg.Points == 0 {
		cfg.Points = trace.PointMem
	}
	if cfg.StepBudget == 0 {
		cfg.StepBudget = 1_000_000
	}
	cfg.MaxThreads = 16
	s := New(cfg, m, image.Of(f))
	o := &bare{ordinary: ordinary{in: s}, owner: trace.NoThread, naps: map[uint64]trace.Op{}}
	s.Carry(Carrier{o, o, o, o, o, o, o, o})
	bootLinux(t, s, f)
	s.Enter()
	return &scripted{System: s, lib: o}
}

// at is the address of the i-th number that threads share: each in a word of its own.
func at(i int) uint64 { return scriptData + 8*uint64(i) }

// values are numbers that threads share.
func (g *scripted) values(n ...int) (v []uint32) {
	for _, i := range n {
		v = append(v, g.machine.Read32(at(i)))
	}
	return v
}

// explore runs all interleavings.
func (g *scripted) explore(t testing.TB, state func(), end func() string) map[string]int {
	t.Helper()
	return emutest.Explore(t, g.System, g.root, state, end)
}

// outcomes are the values of some numbers at the ends of all interleavings.
func (g *scripted) outcomes(t testing.TB, n ...int) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(g.explore(t, nil, func() string { return fmt.Sprint(g.values(n...)) })))
}

// verdict says how the threads of an execution were left.
func (g *scripted) verdict() string {
	for i := range g.threads {
		if th := &g.threads[i]; th.Exists && th.Failure != nil {
			return string(th.Failure.Kind) + ": " + th.Failure.Message
		}
	}
	if f := g.Stuck(false); f != nil {
		return string(f.Kind) + ": " + f.Message
	}
	return "ends"
}

// verdicts are those of all interleavings.
func (g *scripted) verdicts(t testing.TB) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(g.explore(t, nil, g.verdict)))
}
