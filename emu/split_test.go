package emu

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"

	"landgo/internal/trace"
)

// An unlocked instruction with two events is two steps on several processors.
// Each case has an instruction, stopped between its events while another thread
// writes, and the outcome that it must have.

type splitCase struct {
	name   string
	insn   string
	write  [2]uint64 // the other's write, in between: at dataAt + first, the value
	offset uint64    // where to look afterwards
	want   uint64
	check  func(r Regs) error
}

// Before: 10 at 0, 20 at 8, and so on to 50 at 32.
var splitCases = []splitCase{
	{name: "add loses the update", insn: "addq $1, (%rbx)", write: [2]uint64{0, 100}, offset: 0, want: 11},
	{name: "inc", insn: "incq (%rbx)", write: [2]uint64{0, 100}, offset: 0, want: 11},
	{name: "xadd", insn: "xaddq %rdx, (%rbx)", write: [2]uint64{0, 100}, offset: 0, want: 15,
		check: func(r Regs) error { return reg("rdx", r.RDX, 10) }},
	{name: "cmpxchg succeeds on what it read", insn: "cmpxchgq %rdx, (%rbx)", write: [2]uint64{0, 100}, offset: 0, want: 5,
		check: func(r Regs) error { return reg("rax", r.RAX, 10) }},
	{name: "movs copies what it read", insn: "movsq", write: [2]uint64{0, 100}, offset: 8, want: 10},
	{name: "movs gives the source back", insn: "movsq", write: [2]uint64{0, 100}, offset: 0, want: 100},
	{name: "movs overwrites the target", insn: "movsq", write: [2]uint64{8, 100}, offset: 8, want: 10},
	{name: "cmps", insn: "cmpsq\nsetb %al", write: [2]uint64{8, 100}, offset: 8, want: 100,
		check: func(r Regs) error { return reg("al", r.RAX, 1) }},
	{name: "push", insn: "pushq (%rbx)", write: [2]uint64{0, 100}, offset: 24, want: 10},
	{name: "push gives the source back", insn: "pushq (%rbx)", write: [2]uint64{0, 100}, offset: 0, want: 100},
	{name: "pop", insn: "popq 8(%rbx)", write: [2]uint64{32, 100}, offset: 8, want: 50},
	{name: "rcr with the carry that it began with", insn: "rcrq $2, (%rbx)", write: [2]uint64{0, 100}, offset: 0, want: 2},
	{name: "rcl with the carry that it began with", insn: "rclb $5, (%rbx)", write: [2]uint64{0, 100}, offset: 0, want: 0x40},
	{name: "part of what it read", insn: "addb $1, 1(%rbx)", write: [2]uint64{0, 0x030303}, offset: 0, want: 0x030103},
}

func reg(name string, got, want uint64) error {
	if got != want {
		return fmt.Errorf("%s is %d, want %d", name, got, want)
	}
	return nil
}

func (c *splitCase) run(t *testing.T, knobs uint32) error {
	g := small(t, c.insn, knobs)
	for i := range uint64(5) {
		g.Write64(dataAt+8*i, 10*(i+1))
	}
	ctx := g.Start(&Regs{RIP: g.entry, RAX: 10, RBX: dataAt, RDX: 5, RSI: dataAt, RDI: dataAt + 8, RSP: dataAt + 32, RFLAGS: 2})
	before := bytes.Clone(g.Bytes(dataAt, 64))
	s := g.Run(&Run{From: ctx, Flags: StopShared, Allow: 1})
	if s.Why != StopAccess || !s.Half || len(s.Accesses) != 1 || s.Accesses[0].IsWrite() {
		return fmt.Errorf("%s: first half: %+v", c.name, *s)
	}
	if !bytes.Equal(before, g.Bytes(dataAt, 64)) {
		return fmt.Errorf("%s: the first half wrote", c.name)
	}
	half, poised := s.Ctx, s.Access
	mark := g.Mark()
	for pass := range 3 { // the same again after a rewind
		g.Write64(dataAt+c.write[0], c.write[1])
		between := bytes.Clone(g.Bytes(dataAt, 64))
		// Stopping at once again leaves everything as it is.
		s = g.Run(&Run{From: half, Flags: StopShared})
		if !s.Half || s.Access != poised || s.Insns != 0 || len(s.Accesses) != 0 || !g.SameCPU(s.Ctx, half) || !bytes.Equal(between, g.Bytes(dataAt, 64)) {
			return fmt.Errorf("%s: again: %+v", c.name, *s)
		}
		flags := []RunFlags{StopShared, 0, Solo}[pass]
		s = g.Run(&Run{From: s.Ctx, Flags: flags, Allow: 1})
		if s.Why != StopPrivileged || s.Half || flags != Solo && len(s.Accesses) != 1 {
			return fmt.Errorf("%s: second half: %+v", c.name, *s)
		}
		if got := g.Read64(dataAt + c.offset); got != c.want {
			return fmt.Errorf("%s: memory has %#x, want %#x", c.name, got, c.want)
		}
		if c.check != nil {
			if err := c.check(s.Regs); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
		g.Rewind(mark)
		if !bytes.Equal(before, g.Bytes(dataAt, 64)) {
			return fmt.Errorf("%s: not rewound", c.name)
		}
	}
	return nil
}

func TestSplitInstructions(t *testing.T) {
	for _, c := range splitCases {
		if err := c.run(t, 0); err != nil {
			t.Error(err)
		}
	}
	cured(t, knobNoHold, func(t *testing.T, k uint32) error { return splitCases[0].run(t, k) })
	cured(t, knobNoGiveBack, func(t *testing.T, k uint32) error { return splitCases[5].run(t, k) })
}

// On one processor nothing is split; nor is a locked instruction anywhere.
func TestUnsplitInstructions(t *testing.T) {
	for _, c := range []struct {
		insn string
		up   bool
	}{{"addl $1, (%rbx)", true}, {"movsl", true}, {"lock addl $1, (%rbx)", false}, {"xchg %eax, (%rbx)", false}, {"fxsave (%rbx)", true},
		{"mov 60(%rbx), %rax", true}, {"fldt (%rbx)", true}, {"lock addq $1, 60(%rbx)", false}, {"lock cmpxchg16b (%rbx)", false}} {
		g := load(t, c.insn+"\nhlt\n", Config{Uniprocessor: c.up})
		g.DeclareAllShared(true)
		s := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: dataAt, RSI: dataAt, RDI: dataAt + 64}), Flags: StopShared, Allow: 1})
		if s.Why != StopPrivileged || s.Insns != 1 {
			t.Errorf("%s: %+v", c.insn, *s)
		}
	}
}

// The event that an unsplit instruction stands before is all that it will do.
func TestPoisedAtWholeInstruction(t *testing.T) {
	for _, c := range []struct {
		insn string
		up   bool
		want trace.Access
	}{
		{"addl $1, (%rbx)", true, trace.Access{Addr: dataAt, Size: 4, Flags: trace.Write | trace.RMW}},
		{"movsl", true, trace.Access{Addr: dataAt, Size: 68, Flags: trace.Write}},
		{"cmpsl", true, trace.Access{Addr: dataAt, Size: 68}},
		{"pushq (%rbx)", true, trace.Access{Addr: dataAt, Size: 128, Flags: trace.Write}},
		{"mov (%rbx), %eax", true, trace.Access{Addr: dataAt, Size: 4}},
		{"mov %eax, (%rbx)", true, trace.Access{Addr: dataAt, Size: 4, Flags: trace.Write}},
		{"lock incl (%rbx)", true, trace.Access{Addr: dataAt, Size: 4, Flags: trace.Write | trace.RMW | trace.Atomic}},
		{"mov %eax, (%rbx)", false, trace.Access{Addr: dataAt, Size: 4, Flags: trace.Write}},
		{"addl $1, (%rbx)", false, trace.Access{Addr: dataAt, Size: 4}},
		{"movups (%rbx), %xmm0", false, trace.Access{Addr: dataAt, Size: 8}},
		{"movups %xmm0, (%rbx)", false, trace.Access{Addr: dataAt, Size: 8, Flags: trace.Write}},
		{"cmpxchg16b (%rbx)", false, trace.Access{Addr: dataAt, Size: 8}},
		{"cmpxchg16b (%rbx)", true, trace.Access{Addr: dataAt, Size: 16, Flags: trace.Write | trace.RMW}},
		{"fldt (%rbx)", false, trace.Access{Addr: dataAt, Size: 8}},
		{"fldt (%rbx)", true, trace.Access{Addr: dataAt, Size: 10}},
		{"movups (%rbx), %xmm0", true, trace.Access{Addr: dataAt, Size: 16}},
		{"mov 60(%rbx), %rax", false, trace.Access{Addr: dataAt + 60, Size: 4}},
		{"fxsave (%rbx)", false, trace.Access{Addr: dataAt, Size: 2, Flags: trace.Write}},
		{"fxsave (%rbx)", true, trace.Access{Addr: dataAt, Size: 416, Flags: trace.Write}},
	} {
		g := load(t, c.insn+"\nhlt\n", Config{Uniprocessor: c.up})
		g.DeclareAllShared(true)
		c.want.PC = g.entry
		ctx := g.Start(&Regs{RIP: g.entry, RAX: 5, RBX: dataAt, RSI: dataAt, RDI: dataAt + 64, RSP: dataAt + 128})
		before := g.hash(ctx)
		for range 2 { // the second time, it is known how many accesses there are
			s := g.Run(&Run{From: ctx, Flags: StopShared})
			if s.Why != StopAccess || s.Access != c.want || poised(g, s.Ctx) != c.want || len(s.Accesses) != 0 || g.hash(s.Ctx) != before {
				t.Errorf("%s: %+v", c.insn, *s)
			}
			if s = g.Run(&Run{From: s.Ctx, Flags: StopShared, Allow: 1}); len(s.Accesses) == 0 {
				t.Errorf("%s: going on: %+v", c.insn, *s)
			}
			clear(g.Bytes(dataAt, 512))
		}
	}
}

// A fault in the second half comes before the instruction, with the others'
// bytes in place.
func TestFaultInSecondHalf(t *testing.T) {
	g := small(t, "addq $1, (%rbx)", 0)
	s := g.Run(&Run{From: g.start(0), Flags: StopShared, Allow: 1})
	g.Write64(dataAt, 7)
	g.Protect(dataAt, 1, ProtRead)
	s = g.Run(&Run{From: s.Ctx, Flags: StopShared, Allow: 1})
	if s.Why != StopFault || s.Fault.Kind != FaultWrite || s.Half || g.Read64(dataAt) != 7 {
		t.Errorf("%+v, memory %d", *s, g.Read64(dataAt))
	}
}

// Where no more reads can be held, the rest of an instruction is one event, and told
// in its whole length.
func TestPoisedAtTheRest(t *testing.T) {
	cured(t, knobNoProbe, func(t *testing.T, k uint32) error {
		g := small(t, "fxrstor (%rbx)", k)
		g.Write32(dataAt, 0x37f)
		g.Write32(dataAt+24, 0x1f80)
		s := g.Run(&Run{From: g.start(0), Flags: StopShared, Allow: 1})
		for n := 1; s.Half && n < 99; n++ {
			if s.Access.Size > 8 {
				return nil
			}
			s = g.Run(&Run{From: s.Ctx, Flags: StopShared, Allow: 1})
		}
		return fmt.Errorf("%+v", *s)
	})
}

// Setting RIP gives a half-executed instruction up.
func TestSettingRIPDropsHalf(t *testing.T) {
	g := small(t, "addq $1, (%rbx)\nout: nop", 0)
	s := g.Run(&Run{From: g.start(0), Flags: StopShared, Allow: 1})
	g.Write64(dataAt, 7)
	s = g.Run(&Run{From: s.Ctx, Set: trace.RIP, Regs: Regs{RIP: g.symbols["out"]}})
	if s.Why != StopPrivileged || s.Half || g.Read64(dataAt) != 7 {
		t.Errorf("%+v, memory %d", *s, g.Read64(dataAt))
	}
}

// A model of two threads whose every event is a step must see the same memory
// as the machine, in every schedule. The programs are random, of instructions
// with two events over four cells, in random interleavings.
func TestRandomSplitSchedules(t *testing.T) {
	rnd := rand.New(rand.NewSource(2))
	for range 60 {
		programs := [2][]splitOp{randomOps(rnd), randomOps(rnd)}
		g := small(t, "first:"+assemble(programs[0])+"\nhlt\nsecond:"+assemble(programs[1]), 0)
		ctx := [2]Ctx{}
		for i, entry := range []string{"first", "second"} {
			ctx[i] = g.Start(&Regs{RIP: g.symbols[entry], RBX: dataAt, RDX: 3, RFLAGS: 2})
		}
		start := g.Mark()
		for range 20 {
			runSchedule(t, g, rnd, programs, ctx)
			g.Rewind(start)
		}
	}
}

// splitOp adds or copies between cells.
type splitOp struct {
	from, to int
	copies   bool
}

func randomOps(rnd *rand.Rand) []splitOp {
	var ops []splitOp
	for range 1 + rnd.Intn(5) {
		ops = append(ops, splitOp{rnd.Intn(4), rnd.Intn(4), rnd.Intn(2) == 0})
	}
	return ops
}

func assemble(ops []splitOp) string {
	s := ""
	for _, op := range ops {
		if op.copies {
			s += fmt.Sprintf("\nlea %d(%%rbx), %%rsi\nlea %d(%%rbx), %%rdi\nmovsq", 8*op.from, 8*op.to)
		} else {
			s += fmt.Sprintf("\naddq $1, %d(%%rbx)", 8*op.to)
		}
	}
	return s
}

// model is the abstract meaning of a program: one step an event.
type model struct {
	ops  []splitOp
	at   int
	read bool
	temp uint64
}

func (p *model) step(cells *[4]uint64) {
	op := p.ops[p.at]
	switch {
	case !p.read && op.copies:
		p.temp = cells[op.from]
	case !p.read:
		p.temp = cells[op.to] + 1
	default:
		cells[op.to] = p.temp
		p.at++
	}
	p.read = !p.read
}

func runSchedule(t *testing.T, g *guest, rnd *rand.Rand, programs [2][]splitOp, ctx [2]Ctx) {
	t.Helper()
	cells := [4]uint64{}
	models := [2]model{{ops: programs[0]}, {ops: programs[1]}}
	for i := range ctx {
		ctx[i] = g.Run(&Run{From: ctx[i], Thread: trace.TID(i), Flags: StopShared}).Ctx
	}
	for models[0].at < len(programs[0]) || models[1].at < len(programs[1]) {
		i := rnd.Intn(2)
		if models[i].at == len(programs[i]) {
			continue
		}
		models[i].step(&cells)
		s := g.Run(&Run{From: ctx[i], Thread: trace.TID(i), Flags: StopShared, Allow: 1})
		if len(s.Accesses) != 1 || s.Half != models[i].read {
			t.Fatalf("%v: %+v", programs[i], *s)
		}
		ctx[i] = s.Ctx
		for k, v := range cells {
			if got := g.Read64(dataAt + 8*uint64(k)); got != v {
				t.Fatalf("%v: cell %d is %d, want %d", programs, k, got, v)
			}
		}
	}
}
