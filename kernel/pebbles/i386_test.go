package pebbles

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// Package image's view of i386 code is compared with the machine, one
// instruction at a time: lengths, effects, and stacks. For x86-64 the package's
// own tests do the same on the processor.

// arithmetic are the flags that x86.Effects are about: CF, PF, AF, ZF, SF, OF.
const arithmetic = abi.Arithmetic

// general are the registers of i386 in the order of trace.RegSet.
func general(r *emu.Regs) [8]*uint64 {
	return [8]*uint64{&r.RAX, &r.RBX, &r.RCX, &r.RDX, &r.RSI, &r.RDI, &r.RBP, &r.RSP}
}

// step runs one instruction from a context, with changed registers if set says
// so, and takes it back. ok: it completed.
func (w *world) step(from emu.Ctx, set trace.RegSet, regs emu.Regs) (after emu.Regs, writes, ok bool) {
	k := w.m.Mark()
	defer w.m.Rewind(k)
	stop := w.m.Run(&emu.Run{From: from, Thread: 0, Budget: 1, Flags: emu.RecordAll, Set: set, Regs: regs})
	for i := range stop.Accesses {
		writes = writes || stop.Accesses[i].IsWrite()
	}
	return w.m.Regs(stop.Ctx), writes, stop.Why == emu.StopBudget && stop.Insns == 1
}

// goesOn: the instruction's successor is the next one.
func goesOn(text string) bool {
	for _, p := range []string{"j", "call", "ret", "loop", "rep"} {
		if strings.HasPrefix(text, p) {
			return false
		}
	}
	return true
}

// checkInstruction compares the instruction at which a thread stands with what
// image knows of it. It reports whether image knows its effects.
func checkInstruction(t *testing.T, w *world, tid trace.TID) bool {
	ctx := w.actors[tid].ctx
	before := w.m.Regs(ctx)
	if w.actors[tid].set != 0 {
		return true // it hasn't come back from a call
	}
	code := w.k.img.Bytes(before.RIP, x86.MaxInst)
	text, size, err := x86.Inst(w.k.img, code, before.RIP)
	if err != nil {
		t.Fatalf("%#x: %v", before.RIP, err)
	}
	after, writes, ok := w.step(ctx, 0, before)
	if !ok {
		return true // a call of the kernel, a fault
	}
	if goesOn(text) && after.RIP != before.RIP+uint64(size) {
		t.Errorf("%#x: %s: %d bytes, but goes on at %#x", before.RIP, text, size, after.RIP)
	}
	e, known := x86.EffectsOf(code, elffile.I386)
	if !known {
		return false
	}
	other, changed := before, before
	for i, r := range general(&changed) {
		if e.Reads&(1<<i) == 0 {
			*r = uint64(^uint32(*r))
		}
	}
	if !e.ReadsFlags {
		changed.RFLAGS ^= arithmetic
	}
	if other, _, ok = w.step(ctx, trace.AllRegs&^trace.RIP, changed); !ok {
		t.Errorf("%#x: %s: fails when what isn't read is changed", before.RIP, text)
	}
	was, is, would := general(&before), general(&after), general(&other)
	for i := range is {
		bit := trace.RegSet(1) << i
		if (e.Writes|e.Reads)&bit == 0 && *is[i] != *was[i] {
			t.Errorf("%#x: %s: register %d changes; said %+v", before.RIP, text, i, e)
		}
		if e.Writes&bit != 0 && *is[i] != *would[i] {
			t.Errorf("%#x: %s: register %d depends on what isn't read: %#x or %#x; said %+v", before.RIP, text, i, *is[i], *would[i], e)
		}
	}
	if after.RIP != other.RIP {
		t.Errorf("%#x: %s: where it goes depends on what isn't read; said %+v", before.RIP, text, e)
	}
	if !e.WritesFlags && !e.ReadsFlags && (after.RFLAGS^before.RFLAGS)&arithmetic != 0 ||
		e.WritesFlags && (after.RFLAGS^other.RFLAGS)&arithmetic != 0 {
		t.Errorf("%#x: %s: flags; said %+v", before.RIP, text, e)
	}
	_ = writes
	return true
}

// calls is a thread's stack of return addresses, kept by watching its calls.
type calls struct{ rets, slots []uint64 }

// follow takes it from one instruction to the next one.
func (c *calls) follow(text string, now *emu.Regs, m *emu.Machine) {
	for n := len(c.slots); n > 0 && c.slots[n-1] < now.RSP; n-- {
		c.rets, c.slots = c.rets[:n-1], c.slots[:n-1]
	}
	if strings.HasPrefix(text, "call") {
		c.rets, c.slots = append(c.rets, uint64(m.Read32(now.RSP))), append(c.slots, now.RSP)
	}
}

// checkStacks runs a guest, its threads in turn, and compares the stack that
// image finds at each instruction with the real one. It returns the number of
// instructions and the deepest stack.
func checkStacks(t *testing.T, w *world) (steps, deepest int) {
	stacks := map[trace.TID]*calls{}
	wrong := map[string]bool{}
	for tid := trace.TID(0); w.end == ""; {
		ready := w.ready()
		if len(ready) == 0 {
			w.end = "deadlock"
			break
		}
		tid = after(ready, tid)
		if stacks[tid] == nil {
			stacks[tid] = &calls{}
		}
		for n := 0; n < 30 && w.end == "" && w.actors[tid].state == actorReady; n++ {
			a := &w.actors[tid]
			regs := w.m.Regs(a.ctx)
			if a.set != 0 {
				regs = a.regs
			}
			f, _ := w.k.img.SymbolAt(regs.RIP)
			// A child begins on its parent's stack.
			if tid == 0 || f.Name != "thread_spawn" {
				want := slices.Clone(stacks[tid].rets)
				slices.Reverse(want)
				got := w.img.Unwind(&regs, func(addr uint64) (uint64, bool) {
					return uint64(w.m.Read32(addr)), w.m.Prot(addr)&emu.ProtRead != 0
				})
				if !slices.Equal(got, want) && !wrong[f.Name] {
					wrong[f.Name] = true
					t.Errorf("thread %d at %#x in %s: %x, want %x", tid, regs.RIP, f.Name, got, want)
				}
				steps, deepest = steps+1, max(deepest, len(want))
			}
			text, _, _ := x86.Inst(w.k.img, w.k.img.Bytes(regs.RIP, x86.MaxInst), regs.RIP)
			if !w.run(tid, 1) {
				break
			}
			now := w.m.Regs(w.actors[tid].ctx)
			stacks[tid].follow(text, &now, w.m)
		}
	}
	return steps, deepest
}

// TestI386Instructions: the instructions of insts32.S, all of them known.
func TestI386Instructions(t *testing.T) {
	needs32(t)
	w := openWorld(t, build32(t, "-O0", filepath.Join("testdata", "insts32.S")), Config{})
	n := 0
	for ; w.end == "" && w.actors[0].state == actorReady; n++ {
		if !checkInstruction(t, w, 0) {
			t.Errorf("%#x: its effects aren't known", w.m.Regs(w.actors[0].ctx).RIP)
		}
		w.run(0, 1)
	}
	if w.end != goodEnd || n < 150 {
		t.Errorf("ended with %s after %d instructions", w.end, n)
	}
}

// library32 builds a test of a thread library for i386.
func library32(t *testing.T, flags, library, test string) string {
	var files []string
	for _, pattern := range []string{library + "/*.[cS]", "runtime/*.[cS]", "tests/" + test + ".c"} {
		m, err := filepath.Glob(filepath.Join(sources, pattern))
		if err != nil || len(m) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, m...)
	}
	return build32(t, flags+" -I"+filepath.Join(sources, library), files...)
}

// TestI386Code: whole runs of the thread libraries, as gcc makes them, with
// call-frame information and without, position-independent too.
func TestI386Code(t *testing.T) {
	needs32(t)
	for _, flags := range []string{
		"-O0 -fno-pic", "-O2 -fno-pic", "-Os -fno-pic -fno-asynchronous-unwind-tables",
		"-O2 -fno-pic -fno-asynchronous-unwind-tables -fno-omit-frame-pointer -mpreferred-stack-boundary=2", "-O2 -fpic", "-O0 -fpie",
	} {
		for _, library := range []string{"spin", "queue"} {
			t.Run(library+" "+flags, func(t *testing.T) {
				t.Parallel()
				path := library32(t, flags, library, "sem")
				w := openWorld(t, path, Config{})
				if steps, deepest := checkStacks(t, w); w.end != goodEnd || steps < 300 || deepest < 3 {
					t.Errorf("ended with %s after %d instructions, stacks up to %d", w.end, steps, deepest)
				}
				w = openWorld(t, path, Config{})
				unknown := 0
				for tid := trace.TID(0); w.end == ""; {
					tid = after(w.ready(), tid)
					for n := 0; n < 30 && w.end == "" && w.actors[tid].state == actorReady; n++ {
						if !checkInstruction(t, w, tid) {
							unknown++
						}
						if !w.run(tid, 1) {
							break
						}
					}
				}
				if w.end != goodEnd || unknown > 0 {
					t.Errorf("ended with %s; %d instructions whose effects aren't known", w.end, unknown)
				}
			})
		}
	}
}
