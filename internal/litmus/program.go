package litmus

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Program is threads over a few bytes of shared memory, which begin as 0.
type Program struct {
	Memory  int // bytes
	Threads [][]Insn
}

// Kind is the operation of an instruction.
type Kind uint8

const (
	Load     Kind = iota // Reg = [Addr]
	Store                // [Addr] = Value, plus Reg if Adds
	Exchange             // Reg, [Addr] = [Addr], Value: a locked instruction
	CAS                  // if [Addr] is 0, it becomes Value; Reg = what it was: a locked instruction
	Fence
	FenceAll // empties the buffers of all threads (forall.go)
	Skip     // skips the next Value instructions if Reg isn't 0
)

// Insn is one instruction. Numbers are little-endian.
type Insn struct {
	Kind  Kind
	Addr  int
	Size  int // bytes: 1, 2 or 4
	Value int
	Reg   int
	Adds  bool
}

// Registers is how many each thread has.
const Registers = 3

func (p *Program) String() string {
	var b strings.Builder
	for t, code := range p.Threads {
		fmt.Fprintf(&b, "thread %d:", t)
		for _, x := range code {
			fmt.Fprintf(&b, " %v;", x)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (x Insn) String() string {
	at := fmt.Sprintf("[%d:%d]", x.Addr, x.Size)
	switch x.Kind {
	case Load:
		return fmt.Sprintf("r%d = %s", x.Reg, at)
	case Store:
		if x.Adds {
			return fmt.Sprintf("%s = %d+r%d", at, x.Value, x.Reg)
		}
		return fmt.Sprintf("%s = %d", at, x.Value)
	case Exchange:
		return fmt.Sprintf("r%d = xchg %s, %d", x.Reg, at, x.Value)
	case CAS:
		return fmt.Sprintf("r%d = cas %s, 0, %d", x.Reg, at, x.Value)
	case Fence:
		return "mfence"
	case FenceAll:
		return "membarrier"
	}
	return fmt.Sprintf("if r%d skip %d", x.Reg, x.Value)
}

// Random is a small program of two or three threads; in half of them, accesses overlap in part.
func Random(r *rand.Rand) *Program {
	p := &Program{Memory: 4}
	threads := 2
	most := 4
	if r.IntN(4) == 0 {
		threads, most = 3, 3
	}
	mixed := r.IntN(2) == 0
	value := 0
	for range threads {
		var code []Insn
		for n := 2 + r.IntN(most-1); len(code) < n; {
			x := Insn{Addr: r.IntN(2), Size: 1, Reg: r.IntN(Registers)}
			if mixed {
				x.Addr, x.Size = r.IntN(3), 1+r.IntN(2)
			}
			value++
			x.Value = value
			switch r.IntN(16) {
			case 0:
				x.Kind = Fence
			case 1:
				x.Kind = Exchange
			case 2:
				x.Kind = CAS
			case 3:
				x.Kind, x.Value = Skip, 1
			case 4, 5, 6, 7, 8, 9:
				x.Kind = Load
			default:
				x.Kind, x.Adds = Store, r.IntN(4) == 0
			}
			code = append(code, x)
		}
		p.Threads = append(p.Threads, code)
	}
	return p
}
