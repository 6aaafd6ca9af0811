package model

import (
	"iter"
	"strconv"

	"landgo/internal/trace"
)

// Await implements por.Awaiter.
func (m *Machine) Await(on bool) {
	m.awaiting = on && (m.spins || m.p.Hints || m.p.Assumes) && !(m.p.Buffers && m.p.Backs)
}

// ParkFault is a rule about turns for nothing that a test leaves out.
type ParkFault uint8

// The faults.
const (
	ParksRight ParkFault = iota
	AnyTurn              // a turn may have an effect
	AllStop              // a thread whose turn nothing has changed isn't stuck
	RunsOut              // a wait runs out though a thread could go on
	AnyTime              // one may have run out since the turn began, because the thread had nothing to do
)

// Park implements por.Parker.
func (m *Machine) Park(on bool) {
	m.parking = on && m.p.Parks && m.awaiting && m.p.Budget == 0 && !m.p.Coarse && !m.p.Merge && !m.p.Buffers
}

// parked reports whether thread t has gone round a loop for nothing, and something has changed that it read.
func (m *Machine) parked(t int) bool {
	return m.parking && m.w[t*threadLen+wState] == alive && m.w[t*threadLen+wSpin] != 0 && (m.w[t*threadLen+wIdle] == 0 || m.p.ParksBadly == AnyTime) && (!m.unchanged(t) || m.p.ParksBadly == AllStop)
}

// EndLate implements por.Awaiter.
func (m *Machine) EndLate(on bool) { m.endLate = on && !m.p.Coarse && !m.p.Merge }

// Blend implements por.Blender.
func (m *Machine) Blend(on bool) { m.blending = on && !m.p.Coarse && !m.p.Merge }

// Overwrite implements por.Overwriter.
func (m *Machine) Overwrite(on bool) { m.overwrites = on }

// letEnd has the threads wait that stand before an end of the process, as long as another
// can run.
func (m *Machine) letEnd(list []trace.Thread) {
	others := false
	for i := range list {
		th := &list[i]
		th.Late = th.Status == trace.Ready && th.Pending.Kind == trace.OpEnd && m.w[int(th.ID)*threadLen+wBug] == 0
		others = others || th.Status == trace.Ready && !th.Late
	}
	for i := range list {
		if th := &list[i]; th.Late && others {
			th.Status, th.Outcomes = trace.Blocked, 0
		}
	}
}

// awaits reports whether thread t stands at an access where only the value that it finds
// decides whether the thread goes on. All writes of these bytes are of all of them, and
// lie within a word. (A poll counts as an event of a thread's budget.)
func (m *Machine) awaits(t int) bool {
	in := m.next(t)
	if m.triesAt(t) {
		return m.backed[in.A] && m.knownTry(t, m.tryAll(t))
	}
	return m.awaiting && in != nil && m.w[t*threadLen+wBug] == 0 && m.w[t*threadLen+wState] == alive && m.canAwait(in)
}

// canAwait reports whether an instruction is such an access, if it is in a loop that waits.
func (m *Machine) canAwait(in *Instr) bool { return loads(in) && m.inWord(in) }

// inWord reports whether all writes of an instruction's bytes are of all of them, within a word.
func (m *Machine) inWord(in *Instr) bool {
	if in.Timed || m.p.Budget > 0 || m.p.Overlay || m.p.Coarse || m.p.Merge || in.B > 0 {
		return false
	}
	extent := func(in *Instr) (lo, hi int) {
		if in.Size == 0 {
			return in.A, in.A + 8
		}
		return in.A, in.A + in.Size
	}
	lo, hi := extent(in)
	if lo/8 != (hi-1)/8 {
		return false
	}
	for _, code := range m.p.Threads {
		for i := range code {
			switch code[i].Code {
			case Store, StoreR, FetchAdd, AddTest, Add, And, Or, Xor, Exchange, Swap, CompareEx, CompareXR, CasAdd, CasSet:
				if a, b := extent(&code[i]); code[i].B > 0 || a < hi && lo < b && (a != lo || b != hi) {
					return false
				}
			}
		}
	}
	return true
}

// awaited reports whether a loop looks at bytes of an access.
func (m *Machine) awaited(a *trace.Access) bool {
	if m.hintWords[a.Addr] {
		return m.p.HintsBadly != StillBlends
	}
	for range m.lookers(a) {
		return true
	}
	return false
}

// lookers are the instructions in loops that look at bytes of an access.
func (m *Machine) lookers(a *trace.Access) iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) {
		for t, code := range m.p.Threads {
			for pc := range code {
				in := &code[pc]
				size := max(in.Size, 8*b2i(in.Size == 0))
				if in.Code >= Load && in.Code <= CasSet && m.inLoop(t, pc) && (in.B > 0 || in.A < int(a.Addr)-memBase+int(a.Size) && int(a.Addr)-memBase < in.A+size) && !yield(in) {
					return
				}
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// loads reports whether an instruction is a read whose result goes into a register that
// it doesn't read.
func loads(in *Instr) bool {
	switch in.Code {
	case Load, Exchange, CompareEx:
		return true
	case CompareXR:
		return int(in.D) != in.R
	}
	return false
}

// polls reports whether the next step of thread t, which awaits, would only bring it back
// to where it is. A register into which the step reads is dead before.
func (m *Machine) polls(t int) bool {
	if m.counts(t) {
		return m.recurs(t)
	}
	if m.triesAt(t) {
		return m.failsNow(t, m.peek(m.next(t).A, 8))
	}
	b, from, in := t*threadLen, len(m.log), m.next(t)
	bug := m.Bug
	before := [2 + NumRegs]int64{m.w[b+wPC], m.w[b+wBug]}
	copy(before[2:], m.w[b+wRegs:b+wRegs+NumRegs])
	var x trace.Transition
	m.event(t, 0, &x)
	same := before[0] == m.w[b+wPC] && before[1] == m.w[b+wBug]
	for r := range NumRegs {
		same = same && (r == in.R || before[2+r] == m.w[b+wRegs+r])
	}
	fails := m.fails(t)
	same = same || fails
	old := map[int32]int64{}
	for i := len(m.log) - 1; i >= from; i-- {
		if at := int(m.log[i].at); at >= m.mem && at < m.ver {
			old[m.log[i].at] = m.log[i].old
		}
	}
	for at, v := range old {
		same = same && (m.w[at] == v || fails && m.p.AssumesBadly == AnyEffect)
	}
	m.undo(from)
	m.Bug = bug
	return same
}

// News implements por.Awaiter: what is learned in between is told by the next step.
func (m *Machine) News() bool { return false }

// WouldGo implements por.Awaiter.
func (m *Machine) WouldGo(id trace.TID, f func(back int, goes bool)) {
	t := int(id)
	a := m.access(t, m.next(t))
	at, size := int(a.Addr)-memBase, int(a.Size)
	if r := m.hintAt(t); r != nil && r.waits {
		m.earlier(at, size, func(i int, v int64) { f(m.nstep-1-i, !r.vain[v]) })
		return
	}
	if m.triesAt(t) {
		r := m.tryAll(t)
		m.earlier(at, size, func(i int, v int64) { f(m.nstep-1-i, !r.fails[v]) })
		return
	}
	m.earlier(at, size, func(i int, v int64) { f(m.nstep-1-i, !m.wouldPoll(t, &a, v)) })
}

// wouldPoll is polls, if thread t's access found v.
func (m *Machine) wouldPoll(t int, a *trace.Access, v int64) bool {
	from, at := len(m.log), int(a.Addr)-memBase
	for k := range int(a.Size) {
		m.set(m.mem+at+k, v>>(8*k)&0xff)
	}
	polls := m.polls(t)
	m.undo(from)
	return polls
}

// earlier calls f for each step of the present execution that wrote bytes, newest first, with
// what was there before it.
func (m *Machine) earlier(at, size int, f func(step int, v int64)) {
	from, now := len(m.log), m.peek(at, size)
	a := trace.Access{Addr: uint64(memBase + at), Size: uint32(size)}
	for i := m.nstep - 1; i >= 0; i-- {
		for k := range m.steps[i].Accesses {
			w := &m.steps[i].Accesses[k]
			if !w.IsWrite() || w.Flags&trace.Buffered != 0 || !w.Overlaps(&a) {
				continue
			}
			// The oldest value that was kept since.
			v := now
			for j := from - 1; j >= m.began[i]; j-- {
				if u := m.log[j]; int(u.at) >= m.mem+at && int(u.at) < m.mem+at+size {
					n := 8 * (int(u.at) - m.mem - at)
					v = v&^(0xff<<n) | u.old<<n
				}
			}
			f(i, v)
			break
		}
	}
}

// Local has a thread's registers and place as a text: its exit status can be made of them.
func (m *Machine) Local(id trace.TID) string {
	b := int(id) * threadLen
	text := strconv.AppendInt(nil, int64(id), 10)
	for _, v := range append([]int64{m.w[b+wPC]}, m.w[b+wRegs:b+wRegs+NumRegs]...) {
		text = strconv.AppendInt(append(text, ' '), v, 10)
	}
	return string(text)
}
