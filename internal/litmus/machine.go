package litmus

import (
	"fmt"
	"slices"
)

// Model is a memory model.
type Model uint8

const (
	SC Model = iota
	// TSO: a load takes each of its bytes from the newest store to it that is in its thread's
	// buffer, else from memory.
	TSO
	// TSOStalls: a load that overlaps the newest of these stores in part waits until all
	// that it overlaps are in memory. So do many processors, not all; it allows less than TSO.
	TSOStalls
)

func (m Model) String() string { return [...]string{"SC", "TSO", "TSO with stalls"}[m] }

// Machine is a state of a program that runs. Its step is one instruction, or the
// flush of one store.
type Machine struct {
	p     *Program
	model Model
	mem   []byte
	cores []core
}

type core struct {
	pc     int
	regs   [Registers]int
	buffer []pending // oldest first
	called bool      // it is in a fence for all
	awaits []bool    // of the threads, those whose buffers weren't empty since that began
}

type pending struct {
	addr int
	data []byte
}

// NewMachine is a program at its start.
func NewMachine(p *Program, m Model) *Machine {
	return &Machine{p, m, make([]byte, p.Memory), make([]core, len(p.Threads))}
}

// Clone is a copy of the state.
func (m *Machine) Clone() *Machine {
	c := &Machine{m.p, m.model, slices.Clone(m.mem), slices.Clone(m.cores)}
	for i := range c.cores {
		c.cores[i].buffer = slices.Clone(c.cores[i].buffer)
	}
	return c
}

// key tells states apart.
func (m *Machine) key() string {
	k := slices.Clone(m.mem)
	for i := range m.cores {
		c := &m.cores[i]
		k = append(k, byte(c.pc), byte(len(c.buffer)))
		for _, r := range c.regs {
			k = append(k, byte(r), byte(r>>8), byte(r>>16), byte(r>>24))
		}
		k = append(k, byte(len(c.awaits)))
		for _, a := range c.awaits {
			k = append(k, map[bool]byte{true: 1}[a])
		}
		for _, s := range c.buffer {
			k = append(append(k, byte(s.addr), byte(len(s.data))), s.data...)
		}
	}
	return string(k)
}

// Outcome is the registers and the memory of a state.
func (m *Machine) Outcome() string {
	s := fmt.Sprint(m.mem)
	for i := range m.cores {
		s += fmt.Sprint(m.cores[i].regs)
	}
	return s
}

// At is the instruction at which thread t stands; false if it is at its end.
func (m *Machine) At(t int) (Insn, bool) {
	if m.cores[t].pc >= len(m.p.Threads[t]) {
		return Insn{}, false
	}
	return m.p.Threads[t][m.cores[t].pc], true
}

// PC is the number of that instruction.
func (m *Machine) PC(t int) int { return m.cores[t].pc }

// waits reports whether an instruction has to wait until the thread's buffer is emptier.
func (m *Machine) waits(t int, x *Insn) bool {
	buffer := m.cores[t].buffer
	switch x.Kind {
	case Exchange, CAS, Fence:
		return len(buffer) > 0
	case Load:
		if m.model != TSOStalls {
			return false
		}
		for i := len(buffer) - 1; i >= 0; i-- {
			lo, hi := buffer[i].addr, buffer[i].addr+len(buffer[i].data)
			switch {
			case lo <= x.Addr && x.Addr+x.Size <= hi:
				return false
			case lo < x.Addr+x.Size && x.Addr < hi:
				return true
			}
		}
	}
	return false
}

// Read is the value that a load by thread t finds.
func (m *Machine) Read(t, addr, size int) (v int) {
	for i := size - 1; i >= 0; i-- {
		b := m.mem[addr+i]
		for _, s := range m.cores[t].buffer {
			if s.addr <= addr+i && addr+i < s.addr+len(s.data) {
				b = s.data[addr+i-s.addr]
			}
		}
		v = v<<8 | int(b)
	}
	return v
}

func bytesOf(v, size int) []byte {
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(v >> (8 * i))
	}
	return data
}

// Step runs thread t's next instruction. It reports whether that was possible.
func (m *Machine) Step(t int) bool {
	x, ok := m.At(t)
	if !ok || m.waits(t, &x) {
		return false
	}
	if x.Kind == FenceAll {
		return m.asks(t)
	}
	c := &m.cores[t]
	c.pc++
	switch x.Kind {
	case Load:
		c.regs[x.Reg] = m.Read(t, x.Addr, x.Size)
	case Store:
		v := x.Value
		if x.Adds {
			v += c.regs[x.Reg]
		}
		if m.model == SC {
			copy(m.mem[x.Addr:], bytesOf(v, x.Size))
		} else {
			c.buffer = append(c.buffer, pending{x.Addr, bytesOf(v, x.Size)})
		}
	case Exchange, CAS:
		old := m.Read(t, x.Addr, x.Size)
		if x.Kind == Exchange || old == 0 {
			copy(m.mem[x.Addr:], bytesOf(x.Value, x.Size))
		}
		c.regs[x.Reg] = old
	case Skip:
		if c.regs[x.Reg] != 0 {
			c.pc += x.Value
		}
	}
	return true
}

// Flush writes thread t's oldest buffered store to memory. It reports whether there was one.
func (m *Machine) Flush(t int) bool {
	c := &m.cores[t]
	if len(c.buffer) == 0 {
		return false
	}
	copy(m.mem[c.buffer[0].addr:], c.buffer[0].data)
	if c.buffer = slices.Clone(c.buffer[1:]); len(c.buffer) == 0 {
		m.emptied(t)
	}
	return true
}

// Outcomes is all that the program can reach, sorted: each state is visited once.
func Outcomes(p *Program, model Model) []string {
	return OutcomesOf(p, model, (*Machine).Outcome)
}

// OutcomesOf is the same, of what tell says of an end.
func OutcomesOf(p *Program, model Model, tell func(*Machine) string) []string {
	seen, ends := map[string]bool{}, map[string]bool{}
	var visit func(m *Machine)
	visit = func(m *Machine) {
		k := m.key()
		if seen[k] {
			return
		}
		seen[k] = true
		over := true
		for t := range m.cores {
			if c := m.Clone(); c.Step(t) {
				over = false
				visit(c)
			}
			if c := m.Clone(); c.Flush(t) {
				over = false
				visit(c)
			}
		}
		if over {
			ends[tell(m)] = true
		}
	}
	visit(NewMachine(p, model))
	list := make([]string, 0, len(ends))
	for e := range ends {
		list = append(list, e)
	}
	slices.Sort(list)
	return list
}
