package emu

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"landgo/internal/trace"
)

const (
	recallHeap = 0x800000 // memory that is handed out in blocks
	recallSize = 0x1000
)

// recallInsns are instructions of random programs: %d is a place in memory.
var recallInsns = []string{
	"mov %d(%%rbx), %%rax", "mov %%rax, %d(%%rbx)", "movzbl %d(%%rbx), %%eax", "movb %%al, %d(%%rbx)", "movw %%ax, %d(%%rbx)",
	"mov %d(%%rbx), %%ecx", "mov %%ecx, %d(%%rbx)", "addl $1, %d(%%rbx)", "addq $0x101, %d(%%rbx)",
	"lock incl %d(%%rbx)", "lock xadd %%eax, %d(%%rbx)", "xchg %%rcx, %d(%%rbx)", "lock cmpxchg %%ecx, %d(%%rbx)", "cmpxchg %%ecx, %d(%%rbx)",
	"movups %d(%%rbx), %%xmm0", "movups %%xmm0, %d(%%rbx)", "fildl %d(%%rbx)\nfistpl 512(%%rbx)", "mfence", "push %%rax", "push %d(%%rbx)",
	"pushq %%rcx\npopq %%rax", "call 9f\njmp 8f\n9: add %d(%%rbx), %%rax\nret\n8:", "lea %d(%%rbx), %%rsi\nlea 256(%%rbx), %%rdi\nmovsq",
	"mov %%r8, 8(%%r9)", "mov (%%r9), %%rcx", "incl 16(%%r9)", "rdtsc", "syscall", "point%d:\nnop", "cmpl $7, %d(%%rbx)\nje 7f\nadd $3, %%rcx\n7:",
	"mov %d(%%rbx), %%rdx\nand $0x38, %%rdx\nmov (%%rbx,%%rdx), %%rax", "movq %%rax, %%xmm1\nmovq %%xmm1, %d(%%rbx)",
}

func recallProgram(rnd *rand.Rand) string {
	var b strings.Builder
	for i := range 2 {
		fmt.Fprintf(&b, "thread%d:\n", i)
		for k := range 3 + rnd.Intn(8) {
			in := recallInsns[rnd.Intn(len(recallInsns))]
			if strings.HasPrefix(in, "point") {
				in = fmt.Sprintf("point%d:\nnop", 100*i+k)
			} else if strings.Contains(strings.ReplaceAll(in, "%%", ""), "%") {
				in = fmt.Sprintf(in, []int{0, 4, 8, 16, 40, 61, 64, 128}[rnd.Intn(8)])
			} else {
				in = strings.ReplaceAll(in, "%%", "%")
			}
			b.WriteString(in + "\n")
		}
		b.WriteString("hlt\n")
	}
	return b.String()
}

// Recalled counts the runs that were carried out by outcomes of earlier ones.
func (m *Machine) Recalled() uint64 { return m.recall.found }

// Recall has runs carried out by outcomes of earlier ones, or always by the engine: a test compares the two.
func (m *Machine) Recall(on bool) { m.recall.off = !on }

// An earlier, equal run has the outcome that this one has. A machine that makes each run and one that doesn't are
// the same after random steps, changes by others, and ways back.
func TestRecall(t *testing.T) {
	rnd := rand.New(rand.NewSource(11))
	found, runs := uint64(0), 0
	for range 20 {
		source := recallProgram(rnd)
		var both [2]*guest
		var ctx [2][2]Ctx
		for i := range both {
			g := load(t, source, Config{Heap: Range{Lo: recallHeap, Hi: recallHeap + recallSize}})
			g.Recall(i == 1)
			g.Protect(recallHeap, recallSize, ProtRead|ProtWrite)
			g.Alive(recallHeap, 64, true)
			for name, at := range g.symbols {
				if strings.HasPrefix(name, "point") {
					g.Break(at, 1)
				}
			}
			for k := range 2 {
				ctx[i][k] = g.Start(&Regs{RIP: g.symbols[fmt.Sprintf("thread%d", k)], RSP: stackAt + 0x1000*uint64(k+4), RBX: dataAt, R8: uint64(k), R9: recallHeap, RFLAGS: 2})
			}
			both[i] = g
		}
		for range 400 {
			recallSchedule(t, rnd, source, both, ctx, &runs)
		}
		if n := both[0].Recalled(); n != 0 {
			t.Fatalf("%d runs weren't made", n)
		}
		found += both[1].Recalled()
	}
	if found < uint64(runs)/8 {
		t.Errorf("%d of %d runs were known", found, runs)
	}
}

// recallSchedule has both machines do the same at random, and goes back.
func recallSchedule(t *testing.T, rnd *rand.Rand, source string, both [2]*guest, ctx [2][2]Ctx, runs *int) {
	t.Helper()
	flags := []RunFlags{StopShared, StopShared, StopShared | Faults, StopShared | Fences, StopAtomic, Solo, Quiet, Quiet | Watch | Check}[rnd.Intn(8)]
	var marks, contexts = [2]trace.Mark{}, ctx
	for i, g := range both {
		marks[i] = g.Mark()
	}
	var set [2]trace.RegSet
	var insns [2]uint64
	done := [2]bool{}
	for range 2 + rnd.Intn(12) {
		k := rnd.Intn(2)
		if done[k] {
			continue
		}
		order := Run{Thread: trace.TID(k), Flags: flags, Allow: uint32(min(1, rnd.Intn(4))), SkipBreak: rnd.Intn(2) == 0, SkipFence: true, Set: set[k], Budget: 60, Reuse: rnd.Intn(3) == 0}
		order.Regs.RAX, set[k] = 5, 0
		change, at, v := rnd.Intn(8), dataAt+uint64(rnd.Intn(3))*8, uint8(rnd.Intn(3))
		var stops [2]Stop
		for i, g := range both {
			switch change {
			case 0:
				g.Write8(at, v)
			case 1:
				g.Alive(recallHeap+8, 16, v == 0)
			case 2:
				g.Protect(dataAt, 4096, []Prot{ProtRead, ProtRead | ProtWrite, ProtRead | ProtWrite}[v])
			}
			order.From = contexts[i][k]
			stops[i] = *g.Run(&order)
			stops[i].Accesses, stops[i].Fences = slices.Clone(stops[i].Accesses), slices.Clone(stops[i].Fences)
			contexts[i][k] = stops[i].Ctx
		}
		*runs++
		insns[k] += stops[0].Insns
		if why := recallDiffers(both, &stops, contexts, k); why != "" {
			t.Fatalf("%s: %s\n%+v\n%+v, want %+v", source, why, order, stops[1], stops[0])
		}
		switch stops[0].Why {
		case StopTrap:
			set[k] = trace.RAX
			set[k] |= 1 << 16 // behind the instruction
			done[k] = true
		case StopAccess, StopBreak, StopFence, StopBudget:
		default:
			done[k] = true
		}
	}
	for i, g := range both {
		g.Rewind(marks[i])
	}
}

// recallDiffers says in what the machines differ after a run of thread k.
func recallDiffers(both [2]*guest, stops *[2]Stop, ctx [2][2]Ctx, k int) string {
	a, b := both[0], both[1]
	x, y := stops[0], stops[1]
	x.Ctx, y.Ctx = 0, 0
	for _, s := range []*Stop{&x, &y} {
		if len(s.Accesses) == 0 {
			s.Accesses = nil
		}
		if len(s.Fences) == 0 {
			s.Fences = nil
		}
	}
	p, exchange := a.Poised(ctx[0][k])
	q, too := b.Poised(ctx[1][k])
	switch {
	case !reflect.DeepEqual(x, y):
		return "other stops"
	case a.Regs(ctx[0][k]) != b.Regs(ctx[1][k]) || a.FPU(ctx[0][k]) != b.FPU(ctx[1][k]):
		return "other registers"
	case a.PC(ctx[0][k]) != b.PC(ctx[1][k]) || a.Clock(ctx[0][k]) != b.Clock(ctx[1][k]):
		return "another time"
	case p != q || exchange != too:
		return "other events"
	case !reflect.DeepEqual(a.Held(nil, ctx[0][k]), b.Held(nil, ctx[1][k])) || a.Stored(ctx[0][k]) != b.Stored(ctx[1][k]):
		return "other halves"
	case a.Journal() != b.Journal():
		return "other journals"
	case !bytes.Equal(a.Bytes(dataAt, 4096), b.Bytes(dataAt, 4096)) || !bytes.Equal(a.Bytes(stackAt, 0x10000), b.Bytes(stackAt, 0x10000)) || !bytes.Equal(a.Bytes(recallHeap, 4096), b.Bytes(recallHeap, 4096)):
		return "other memory"
	}
	for addr := uint64(dataAt); addr < dataAt+512; addr += 8 {
		o, s := a.Sharing(addr)
		if r, z := b.Sharing(addr); o != r || s != z {
			return fmt.Sprintf("other sharing at %#x", addr)
		}
	}
	return ""
}
