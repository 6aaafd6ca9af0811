package litmus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Tests of mixed sizes: a thread stores some bytes of a word, and loads more of it. Manuals say only that
// it finds its own store. A processor may have the load wait until the store is in memory (TSOStalls), or take
// each byte where it is (TSO). Such a test tells the bytes of its loads and of memory one by one, so that
// an outcome shows where each came from.

// mostOutcomes is how many a test has: landgo tells no more.
const mostOutcomes = 32

// Mixed are this many tests of mixed sizes. Three quarters have outcomes that a processor whose loads
// wait doesn't have.
func Mixed(most int) (all []*Test) {
	for seed := uint64(0); len(all) < most; seed++ {
		t := mixed(rand.New(rand.NewPCG(seed, 22)))
		tso := OutcomesOf(t.Program, TSO, t.Tell)
		differs := !slices.Equal(tso, OutcomesOf(t.Program, TSOStalls, t.Tell))
		if differs == (len(all)%4 != 0) && len(tso) <= mostOutcomes {
			all = append(all, t)
		}
	}
	return all
}

// mixed draws a test of two or three threads on one word or two.
func mixed(r *rand.Rand) *Test {
	t := &Test{Locations: 1 + r.IntN(2), Bytes: true}
	t.Program = &Program{Memory: 4 * t.Locations}
	threads, value := 2+r.IntN(5)/4, 0
	for th := range threads {
		var code []Insn
		loads := 0
		for n := 2 + r.IntN(5-threads); len(code) < n || loads == 0; {
			x := Insn{Size: 1 << r.IntN(3), Reg: Registers - 1}
			x.Addr = 4*r.IntN(t.Locations) + r.IntN(5-x.Size)
			if len(code) == 0 && x.Size == 4 {
				continue
			}
			switch k := r.IntN(12); {
			case len(code) == 0, k < 4:
				x.Kind = Store
			case k == 4:
				x = Insn{Kind: Fence}
			case k == 5:
				x.Kind = Exchange
			case loads == Registers-1:
				continue
			default:
				x.Kind, x.Reg = Load, loads
				loads++
				t.loads = append(t.loads, access{th, x.Reg})
			}
			if x.Kind == Store || x.Kind == Exchange {
				value++ // at most 15 are told apart
				x.Value = value * 0x01010101 & (1<<(8*x.Size) - 1)
			}
			code = append(code, x)
		}
		t.Program.Threads = append(t.Program.Threads, code)
	}
	return t
}

// tellBytes is Tell of such a test.
func (t *Test) tellBytes(m *Machine) string {
	var b strings.Builder
	for _, l := range t.loads {
		for k := range 4 {
			fmt.Fprintf(&b, "%d ", m.cores[l.thread].regs[l.reg]>>(8*k)&0xff)
		}
	}
	for _, v := range m.mem {
		fmt.Fprintf(&b, "%d ", v)
	}
	return strings.TrimSpace(b.String())
}

// sizes are the instructions of such a test. A place is a location, and a byte of it.
const sizes = `#define PART(type, l, o) (*(volatile type *)((volatile char *)&AT(l) + (o)))
#define STORE1(l, o, x) __asm__ volatile("movb %1, %0" : "=m"(PART(char, l, o)) : "i"(x) : "memory")
#define STORE2(l, o, x) __asm__ volatile("movw %1, %0" : "=m"(PART(short, l, o)) : "i"(x) : "memory")
#define STORE4(l, o, x) __asm__ volatile("movl %1, %0" : "=m"(PART(int, l, o)) : "i"(x) : "memory")
#define LOAD1(r, l, o) __asm__ volatile("movzbl %1, %0" : "=r"(r) : "m"(PART(char, l, o)) : "memory")
#define LOAD2(r, l, o) __asm__ volatile("movzwl %1, %0" : "=r"(r) : "m"(PART(short, l, o)) : "memory")
#define LOAD4(r, l, o) __asm__ volatile("movl %1, %0" : "=r"(r) : "m"(PART(int, l, o)) : "memory")
#define XCHG1(l, o, x) { char y = x; __asm__ volatile("xchgb %0, %1" : "+q"(y), "+m"(PART(char, l, o)) : : "memory"); }
#define XCHG2(l, o, x) { short y = x; __asm__ volatile("xchgw %0, %1" : "+r"(y), "+m"(PART(short, l, o)) : : "memory"); }
#define XCHG4(l, o, x) { int y = x; __asm__ volatile("xchgl %0, %1" : "+r"(y), "+m"(PART(int, l, o)) : : "memory"); }
`

// inBytes is an instruction of such a test in C.
func (x Insn) inBytes() string {
	at := fmt.Sprintf("%d, %d", x.Addr/4, x.Addr%4)
	switch x.Kind {
	case Load:
		return fmt.Sprintf("LOAD%d(r%d, %s);", x.Size, x.Reg, at)
	case Store:
		return fmt.Sprintf("STORE%d(%s, %d);", x.Size, at, x.Value)
	case Exchange:
		return fmt.Sprintf("XCHG%d(%s, %d)", x.Size, at, x.Value)
	}
	return "MFENCE();"
}
