package model

import (
	"encoding/binary"
	"slices"

	"landgo/internal/trace"
)

// Counted spins, as package scheduler has them (scheduler/counted.go): all turns are one step.

// CountFault is a rule of counted spins that a test leaves out.
type CountFault uint8

// The faults.
const (
	CountsRight  CountFault = iota
	AnyExit                 // where a spin leads out isn't compared
	PresentValue            // values that were there before aren't tried
	AllDead                 // all registers are dead
	LongTurns               // a turn may do more than to look
	LeadsNowhere            // from where a count stays the value may lead nowhere
)

// mostTurns bounds the turns of a counted spin.
const mostTurns = 64

// look is the result of a survey.
type look struct {
	turns  int // with which the present value leads out; 0: it leads nowhere
	counts bool
}

// counts reports whether thread t stands before a counted spin that can be one step.
func (m *Machine) counts(t int) bool {
	return m.p.Counts && m.awaiting && m.awaits(t) && m.inLoop(t, int(m.w[t*threadLen+wPC])) && !m.uncounted[[2]int{t, int(m.w[t*threadLen+wPC])}]
}

// inLoop reports whether a place is in a loop.
func (m *Machine) inLoop(t, pc int) bool {
	for q, in := range m.p.Threads[t] {
		if (in.Code == Jump || in.Code == JumpIf || in.Code == JumpNe) && in.A <= pc && pc <= q {
			return true
		}
	}
	return false
}

// Uncounted takes over what o has learned of counted spins.
func (m *Machine) Uncounted(o *Machine) { m.uncounted = o.uncounted }

// survey tries what thread t, which stands before a counted spin, does with all values that
// there were.
func (m *Machine) survey(t int) look {
	from, bug := len(m.log), m.Bug
	a := m.access(t, m.next(t))
	at, size := int(a.Addr)-memBase, int(a.Size)
	now, answered := m.peek(at, size), false
	if m.p.Buffers {
		if v, ok := m.forwarded(t, at, size); ok {
			now, answered = v, true
		}
	}
	values := []int64{now}
	if m.p.CountsBadly != PresentValue && !answered {
		values = m.values(at, size, values)
	}
	undo := func(n int) { m.undo(n); m.Bug = bug }
	defer undo(from)
	put := func(v int64) {
		for k := range size {
			m.set(m.mem+at+k, v>>(8*k)&0xff)
		}
	}
	seen := map[string]int{m.poise(t): 1}
	left, turns, latest := "", 0, 0
	for n := 1; n <= mostTurns; n++ {
		next, with := "", int64(0)
		for _, v := range values {
			mark := len(m.log)
			put(v)
			stays, did := m.turn(t, at, size)
			p := m.poise(t)
			if !stays {
				p += did + m.contents()
			}
			undo(mark)
			switch {
			case stays && next == "":
				next, with = p, v
			case stays && next != p:
				return look{}
			case !stays && v == now:
				if left != "" && left != p && m.p.CountsBadly != AnyExit {
					return look{}
				}
				if left, latest = p, n; turns == 0 {
					turns = n
				}
			}
		}
		if next == "" || seen[next] != 0 {
			return look{turns: turns, counts: next == "" || turns == 0 || latest >= seen[next] || m.p.CountsBadly == LeadsNowhere}
		}
		seen[next] = n + 1
		put(with)
		m.turn(t, at, size)
	}
	return look{}
}

// recurs reports whether thread t, before a counted spin, comes back to a state of its count
// with what is there.
func (m *Machine) recurs(t int) bool {
	from, bug := len(m.log), m.Bug
	defer func() { m.undo(from); m.Bug = bug }()
	a := m.access(t, m.next(t))
	seen := map[string]bool{}
	for range mostTurns {
		p := m.poise(t)
		if seen[p] {
			return true
		}
		seen[p] = true
		if stays, _ := m.turn(t, int(a.Addr)-memBase, int(a.Size)); !stays {
			return false
		}
	}
	return false
}

// turn takes thread t's next step, as far as the thread is concerned. It reports whether that
// only looked at the bytes, and the thread is about to look at them again in a loop; and else what
// it did.
func (m *Machine) turn(t, at, size int) (stays bool, did string) {
	b, from := t*threadLen, len(m.log)
	before := m.w[b+wBug]
	var x trace.Transition
	m.event(t, 0, &x)
	stays = before == m.w[b+wBug] && x.End == trace.EndPoint && len(x.Accesses) == 1 && len(x.Ops) == 0
	if a := &x.Accesses; stays && m.p.CountsBadly != LongTurns {
		stays = !(*a)[0].IsWrite() || (*a)[0].Flags&trace.Silent != 0
	}
	old := map[int32]int64{}
	for i := len(m.log) - 1; i >= from; i-- {
		if k := int(m.log[i].at); k >= m.mem && k < m.ver {
			old[m.log[i].at] = m.log[i].old
		}
	}
	for k, v := range old {
		stays = stays && (m.w[k] == v || m.p.CountsBadly == LongTurns)
	}
	if stays {
		in := m.next(t)
		stays = in != nil && m.w[b+wState] == alive && loads(in) && in.B == 0 && m.inLoop(t, int(m.w[b+wPC]))
		if stays {
			a := m.access(t, in)
			stays = int(a.Addr)-memBase == at && int(a.Size) == size
		}
	}
	text := []byte{byte(x.End)}
	for i := range x.Accesses {
		a := &x.Accesses[i]
		text = binary.AppendUvarint(append(text, byte(a.Flags)), a.Addr)
	}
	for i := range x.Ops {
		text = binary.AppendUvarint(append(text, byte(x.Ops[i].Kind)), x.Ops[i].Obj)
	}
	return stays, string(text)
}

// poise is how thread t stands, but for what is dead.
func (m *Machine) poise(t int) string {
	b := t * threadLen
	live := m.live(t, int(m.w[b+wPC]))
	var text []byte
	for _, i := range []int{wPC, wState, wQueue, wPhase, wBug} {
		text = binary.AppendVarint(text, m.w[b+i])
	}
	for r := range NumRegs {
		if live&(1<<r) != 0 && m.p.CountsBadly != AllDead {
			text = binary.AppendVarint(text, m.w[b+wRegs+r])
		}
	}
	return string(text)
}

// contents has memory and objects as a text.
func (m *Machine) contents() string {
	var text []byte
	for i := m.mem; i < m.ver; i++ {
		text = binary.AppendVarint(text, m.w[i])
	}
	for i := m.mutex; i < m.clock; i++ {
		text = binary.AppendVarint(text, m.w[i])
	}
	return string(text)
}

// values adds the values that bytes have had in the present execution.
func (m *Machine) values(at, size int, list []int64) []int64 {
	m.earlier(at, size, func(_ int, v int64) {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	})
	return list
}

// live are the registers that thread t may read from a place on before it overwrites them; at
// its end all, which its last state has.
func (m *Machine) live(t, pc int) uint32 {
	if m.lives == nil {
		m.lives = make([][]uint32, len(m.p.Threads))
	}
	if m.lives[t] == nil {
		m.lives[t] = liveIn(m.p.Threads[t])
	}
	return m.lives[t][min(pc, len(m.p.Threads[t]))]
}

// liveIn finds them for each place of a thread's code.
func liveIn(code []Instr) []uint32 {
	const all = 1<<NumRegs - 1
	in := make([]uint32, len(code)+1)
	in[len(code)] = all
	for again := true; again; {
		again = false
		for pc := len(code) - 1; pc >= 0; pc-- {
			c := &code[pc]
			out := in[pc+1]
			reads, writes := uint32(all), uint32(0)
			switch c.Code {
			case Nop, Store, Add, And, Or, Xor, Yield, Lock, Unlock, SemPost, Create, Join, Signal, Broadcast, RWUnlock:
				reads = 0
			case Set:
				reads, writes = 0, 1<<c.R
			case AddI, Assert, AssNe, StoreR:
				reads = 1 << c.R
			case AddR:
				reads = 1<<c.R | 1<<c.A
			case Jump:
				reads, out = 0, in[c.A]
			case JumpIf, JumpNe:
				reads, out = 1<<c.R, out|in[c.A]
			case Load, FetchAdd, Exchange, CompareEx:
				reads, writes = 0, 1<<c.R
			case CompareXR:
				reads, writes = 1<<c.D, 1<<c.R
			case CasAdd, CasSet:
				reads, writes = 1<<c.R, 1<<c.D
			}
			if c.B > 0 {
				reads |= 1 << (c.B - 1)
			}
			if v := out&^writes | reads; v != in[pc] {
				in[pc], again = v, true
			}
		}
	}
	return in
}
