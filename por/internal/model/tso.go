package model

import (
	"fmt"
	"sort"
)

// Outcomes of a program on the machine of Sewell, Sarkar, Owens, Zappa Nardelli and
// Myreen (CACM 2010), by following every step that it can take, state by state. It
// shares nothing with Machine but the instructions: it is what searches over that are
// judged by. It knows memory accesses, fences, mutexes, jumps and assertions.

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
}

type tsoStore struct {
	at, size int
	v        int64
}

// Outcomes lists where the program's executions lead, in alphabetical order: registers,
// and memory if no assertion fails.
func Outcomes(p *Program) []string {
	s := &tso{pc: make([]int, len(p.Threads)), regs: make([][NumRegs]int64, len(p.Threads)), mem: make([]byte, p.Bytes),
		buffer: make([][]tsoStore, len(p.Threads)), owner: make([]int, p.Mutexes), called: make([]bool, len(p.Threads)), awaits: make([]uint, len(p.Threads))}
	for i, b := range p.Init {
		s.mem[i] = b
	}
	seen, found := map[string]bool{}, map[string]bool{}
	var walk func(s *tso)
	walk = func(s *tso) {
		for t := range s.awaits {
			for u := range s.buffer {
				if len(s.buffer[u]) == 0 {
					s.awaits[t] &^= 1 << u
				}
			}
		}
		key := fmt.Sprint(*s)
		if seen[key] {
			return
		}
		seen[key] = true
		stuck := true
		for t := range p.Threads {
			if len(s.buffer[t]) > 0 {
				n := s.copy()
				w := n.buffer[t][0]
				n.buffer[t] = n.buffer[t][1:]
				n.write(w)
				walk(n)
				stuck = false
			}
			n := s.copy()
			can, bug := n.step(p, t)
			if bug > 0 {
				found[OutcomeText(n.regs, nil, bug)] = true
				stuck = false
			} else if can {
				walk(n)
			}
			stuck = stuck && !can
		}
		if stuck {
			found[OutcomeText(s.regs, s.mem, 0)] = true
		}
	}
	walk(s)
	var list []string
	for o := range found {
		list = append(list, o)
	}
	sort.Strings(list)
	return list
}

// OutcomeText is an outcome.
func OutcomeText(regs [][NumRegs]int64, mem []byte, bug int) string {
	return fmt.Sprint(regs, mem, bug)
}

func (s *tso) copy() *tso {
	n := &tso{pc: append([]int(nil), s.pc...), regs: append([][NumRegs]int64(nil), s.regs...), mem: append([]byte(nil), s.mem...), owner: append([]int(nil), s.owner...),
		called: append([]bool(nil), s.called...), awaits: append([]uint(nil), s.awaits...)}
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

// read is a load of thread t; false: it has to wait.
func (s *tso) read(t, at, size int) (v int64, ok bool) {
	b := s.buffer[t]
	for i := len(b) - 1; i >= 0; i-- {
		if w := b[i]; w.at < at+size && at < w.at+w.size {
			if w.at > at || w.at+w.size < at+size {
				return 0, false
			}
			for k := range size {
				v |= int64(byte(w.v>>(8*(at-w.at+k)))) << (8 * k)
			}
			return v, true
		}
	}
	for k := range size {
		v |= int64(s.mem[at+k]) << (8 * k)
	}
	return v, true
}

// step takes thread t's next step, up to and with one event. bug is the number of an
// assertion that failed, plus one.
func (s *tso) step(p *Program, t int) (can bool, bug int) {
	r := &s.regs[t]
	for s.pc[t] < len(p.Threads[t]) {
		in := &p.Threads[t][s.pc[t]]
		size := in.Size
		if size == 0 {
			size = 8
		}
		s.pc[t]++
		switch in.Code {
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
			v, ok := s.read(t, in.A, size)
			r[in.R] = v
			return ok, 0
		case Store:
			s.buffer[t] = append(s.buffer[t], tsoStore{in.A, size, in.C})
			return true, 0
		case StoreR:
			s.buffer[t] = append(s.buffer[t], tsoStore{in.A, size, r[in.R] + in.C})
			return true, 0
		}
		if len(s.buffer[t]) > 0 {
			return false, 0
		}
		old, _ := int64(0), 0
		switch in.Code {
		case FetchAdd, Exchange, CompareEx, Add, And, Or, Xor:
			old, _ = s.read(t, in.A, size)
		}
		switch in.Code {
		case Fence:
		case FenceAll: // two steps: it begins, and it ends
			if s.called[t] = !s.called[t]; s.called[t] {
				s.awaits[t] = 1<<len(p.Threads) - 1
				s.pc[t]--
			} else if s.awaits[t] != 0 {
				return false, 0
			}
		case FetchAdd:
			s.write(tsoStore{in.A, size, old + in.C})
			r[in.R] = old
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
				return false, 0
			}
			s.owner[in.A] = t + 1
		case Unlock:
			s.owner[in.A] = 0
		default:
			panic(fmt.Sprintf("model: %v isn't modelled with store buffers", *in))
		}
		return true, 0
	}
	return false, 0
}
