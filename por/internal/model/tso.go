package model

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Outcomes of a program on the machine of Sewell, Sarkar, Owens, Zappa Nardelli and
// Myreen (CACM 2010), by following every step that it can take, state by state. It
// shares nothing with Machine but the instructions: it judges searches over that.
// It knows memory accesses, fences, mutexes, barriers, jumps and
// assertions.

// tso is a state.
type tso struct {
	pc     []int
	regs   [][NumRegs]int64
	mem    []byte
	buffer [][]tsoStore
	owner  []int // of the mutexes: thread+1, 0 for none
	// called: the thread has begun a FenceAll, and waits for the buffers of the
	// threads in awaits, a bit for each: those that haven't been empty since.
	called []bool
	awaits []uint
	// For each barrier, how many have arrived in a round, and the number of rounds; for each thread,
	// the round that it has arrived in, plus one.
	arrived, rounds, in []int
}

type tsoStore struct {
	at, size int
	v        int64
}

// Outcomes lists where the program's executions lead, in alphabetical order: registers,
// and memory if no assertion fails. An execution that goes round for ever leads to where all
// that it can still do changes nothing. What a thread has in its registers that is in a loop
// then doesn't count (Settled).
func Outcomes(p *Program) []string {
	s := &tso{pc: make([]int, len(p.Threads)), regs: make([][NumRegs]int64, len(p.Threads)), mem: make([]byte, p.Bytes),
		buffer: make([][]tsoStore, len(p.Threads)), owner: make([]int, p.Mutexes), called: make([]bool, len(p.Threads)), awaits: make([]uint, len(p.Threads)),
		arrived: make([]int, len(p.Barriers)), rounds: make([]int, len(p.Barriers)), in: make([]int, len(p.Threads))}
	for i, b := range p.Init {
		s.mem[i] = b
	}
	w := walk{p: p, number: map[string]int{}, found: map[string]bool{}}
	w.visit(s)
	w.settle()
	return slices.Sorted(maps.Keys(w.found))
}

// walk visits all states.
type walk struct {
	p      *Program
	number map[string]int // of each state
	states []*tso
	next   [][]int // by number: the states that one step leads to; nil: an assertion fails
	found  map[string]bool
}

func (w *walk) visit(s *tso) int {
	for t := range s.awaits {
		for u := range s.buffer {
			if len(s.buffer[u]) == 0 {
				s.awaits[t] &^= 1 << u
			}
		}
	}
	key := s.key()
	n, known := w.number[key]
	if known {
		return n
	}
	n = len(w.states)
	w.number[key] = n
	w.states, w.next = append(w.states, s), append(w.next, nil)
	next, fails := []int{}, false
	for t := range w.p.Threads {
		if len(s.buffer[t]) > 0 {
			c := s.copy()
			e := c.buffer[t][0]
			c.buffer[t] = c.buffer[t][1:]
			c.write(e)
			next = append(next, w.visit(c))
		}
		c := s.copy()
		if can, bug := c.step(w.p, t); bug > 0 {
			w.found[OutcomeText(w.p.Settled(c.regs, nil), nil, bug)] = true
			fails = true
		} else if can {
			next = append(next, w.visit(c))
		}
	}
	if w.next[n] = next; fails {
		w.next[n] = nil
	}
	return n
}

// settle finds the strongly connected components that nothing leads out of (Tarjan, SIAM
// Journal on Computing 1972): there executions end, or go round.
func (w *walk) settle() {
	low, order, open, count := make([]int, len(w.states)), make([]int, len(w.states)), []int{}, 0
	out := make([]bool, len(w.states)) // something leads out of its component
	var visit func(n int)
	visit = func(n int) {
		count++
		low[n], order[n], out[n] = count, count, w.next[n] == nil
		open = append(open, n)
		for _, k := range w.next[n] {
			switch {
			case order[k] == 0:
				visit(k)
				if low[n] = min(low[n], low[k]); low[k] == math.MaxInt {
					out[n] = true
				} else {
					out[n] = out[n] || out[k]
				}
			case low[k] == math.MaxInt:
				out[n] = true
			default:
				low[n] = min(low[n], order[k])
			}
		}
		if low[n] < order[n] {
			return
		}
		if s := w.states[n]; !out[n] {
			regs, ended := s.end(w.p)
			w.found[OutcomeText(w.p.Settled(regs, ended), s.mem, 0)] = true
		}
		for last := -1; last != n; open = open[:len(open)-1] {
			last = open[len(open)-1]
			low[last] = math.MaxInt
		}
	}
	visit(0)
}

// Settled are the registers that count at the end of an execution: in a program with loops
// those of the threads that have ended.
func (p *Program) Settled(regs [][NumRegs]int64, ended []bool) [][NumRegs]int64 {
	if !p.loops() {
		return regs
	}
	list := make([][NumRegs]int64, len(regs))
	for t := range ended {
		if list[t][0] = -1; ended[t] {
			list[t] = regs[t]
		}
	}
	return list
}

func (p *Program) loops() bool {
	for _, code := range p.Threads {
		for pc, in := range code {
			if (in.Code == Jump || in.Code == JumpIf || in.Code == JumpNe) && in.A <= pc {
				return true
			}
		}
	}
	return false
}

// end says what the threads have in their registers, and which are at their ends: no event is
// left.
func (s *tso) end(p *Program) (regs [][NumRegs]int64, ended []bool) {
	for t := range s.pc {
		c := s.copy()
		can, bug := c.step(p, t)
		if ended = append(ended, !can && bug == 0 && c.pc[t] >= len(p.Threads[t])); ended[t] {
			regs = append(regs, c.regs[t])
		} else {
			regs = append(regs, s.regs[t])
		}
	}
	return regs, ended
}

// key tells states apart.
func (s *tso) key() string {
	var b []byte
	for t := range s.pc {
		b = binary.AppendVarint(b, int64(s.pc[t]))
		for _, v := range s.regs[t] {
			b = binary.AppendVarint(b, v)
		}
		for _, e := range s.buffer[t] {
			b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, int64(e.at)), int64(e.size)), e.v)
		}
		b = binary.AppendVarint(b, -1)
		b = binary.AppendUvarint(b, uint64(s.awaits[t])<<1|uint64(b2i(s.called[t])))
	}
	for _, list := range [][]int{s.owner, s.arrived, s.rounds, s.in} {
		for _, v := range list {
			b = binary.AppendVarint(b, int64(v))
		}
	}
	return string(append(b, s.mem...))
}

// OutcomeText is an outcome.
func OutcomeText(regs [][NumRegs]int64, mem []byte, bug int) string {
	return fmt.Sprint(regs, mem, bug)
}

func (s *tso) copy() *tso {
	n := &tso{pc: append([]int(nil), s.pc...), regs: append([][NumRegs]int64(nil), s.regs...), mem: append([]byte(nil), s.mem...), owner: append([]int(nil), s.owner...),
		called: append([]bool(nil), s.called...), awaits: append([]uint(nil), s.awaits...),
		arrived: append([]int(nil), s.arrived...), rounds: append([]int(nil), s.rounds...), in: append([]int(nil), s.in...)}
	for _, b := range s.buffer {
		n.buffer = append(n.buffer, append([]tsoStore(nil), b...))
	}
	return n
}

func (s *tso) write(w tsoStore) {
	for i := range w.size {
		s.mem[w.at+i] = byte(w.v >> (8 * i))
	}
}

// read is a load of thread t: each byte is that of the newest store in its buffer that has it,
// else memory's.
func (s *tso) read(t, at, size int) (v int64) {
	for k := range size {
		b := s.mem[at+k]
		for _, w := range s.buffer[t] {
			if i := at + k - w.at; i >= 0 && i < w.size {
				b = byte(w.v >> (8 * i))
			}
		}
		v |= int64(b) << (8 * k)
	}
	return v
}

// step takes thread t's next step, up to and with one event. bug is the number of an
// assertion that failed, plus one.
func (s *tso) step(p *Program, t int) (can bool, bug int) {
	r := &s.regs[t]
	waits := func() (bool, int) { s.pc[t]--; return false, 0 }
	for s.pc[t] < len(p.Threads[t]) {
		in := &p.Threads[t][s.pc[t]]
		size := in.Size
		if size == 0 {
			size = 8
		}
		s.pc[t]++
		switch in.Code {
		case Nop:
			continue
		case Jump:
			s.pc[t] = in.A
			continue
		case Yield:
			return true, 0
		case Set:
			r[in.R] = in.C
			continue
		case AddI:
			r[in.R] += in.C
			continue
		case AddR:
			r[in.R] += r[in.A]
			continue
		case JumpIf, JumpNe:
			if (r[in.R] == in.C) == (in.Code == JumpIf) {
				s.pc[t] = in.A
			}
			continue
		case Assert, AssNe:
			if (r[in.R] == in.C) != (in.Code == Assert) {
				return false, in.A + 1
			}
			continue
		case Load:
			r[in.R] = s.read(t, in.A, size)
			return true, 0
		case Store:
			s.buffer[t] = append(s.buffer[t], tsoStore{in.A, size, in.C})
			return true, 0
		case StoreR:
			s.buffer[t] = append(s.buffer[t], tsoStore{in.A, size, r[in.R] + in.C})
			return true, 0
		}
		if len(s.buffer[t]) > 0 {
			return waits()
		}
		old := int64(0)
		switch in.Code {
		case FetchAdd, AddTest, Exchange, CompareEx, Add, And, Or, Xor:
			old = s.read(t, in.A, size)
		}
		switch in.Code {
		case Fence:
		case FenceAll: // two steps: it begins, and it ends
			if s.called[t] = !s.called[t]; s.called[t] {
				s.awaits[t] = 1<<len(p.Threads) - 1
				s.pc[t]--
			} else if s.awaits[t] != 0 {
				return waits()
			}
		case FetchAdd:
			s.write(tsoStore{in.A, size, old + in.C})
			r[in.R] = old
		case AddTest:
			s.write(tsoStore{in.A, size, old + in.C})
			r[in.R] = int64(b2i(s.read(t, in.A, size) == in.D))
		case Add:
			s.write(tsoStore{in.A, size, old + in.C})
		case And:
			s.write(tsoStore{in.A, size, old & in.C})
		case Or:
			s.write(tsoStore{in.A, size, old | in.C})
		case Xor:
			s.write(tsoStore{in.A, size, old ^ in.C})
		case Exchange:
			s.write(tsoStore{in.A, size, in.C})
			r[in.R] = old
		case CompareEx:
			if r[in.R] = 0; old == in.C {
				r[in.R] = 1
				s.write(tsoStore{in.A, size, in.D})
			}
		case Lock:
			if s.owner[in.A] != 0 {
				return waits()
			}
			s.owner[in.A] = t + 1
		case Unlock:
			s.owner[in.A] = 0
		case Barrier: // two steps: it arrives, and it leaves
			switch s.in[t] {
			case 0:
				s.in[t] = s.rounds[in.A] + 1
				if s.arrived[in.A]++; s.arrived[in.A] == p.Barriers[in.A] {
					s.arrived[in.A] = 0
					s.rounds[in.A]++
				}
				s.pc[t]--
			case s.rounds[in.A] + 1:
				return waits()
			default:
				s.in[t] = 0
			}
		default:
			panic(fmt.Sprintf("model: %v isn't modelled with store buffers", *in))
		}
		return true, 0
	}
	return false, 0
}
