package model

import "landgo/internal/trace"

// Addresses of memory and of objects, as a transition shows them.
const (
	memBase     = 0x1000
	mutexBase   = 0x10000
	condBase    = 0x20000
	semBase     = 0x30000
	rwBase      = 0x40000
	barrierBase = 0x50000
	objStride   = 64
	objSize     = 40
)

// Words of a thread's part of the state.
const (
	wPC = iota
	wState
	wInsns
	wQueue // 0; inQueue, signalled: of a wait on a condition
	wPhase // 0; generation+1 of the barrier that it has arrived at
	wBug   // bug+1 of a failed assertion, misuse
	wHead  // loop head's pc+1, 0 for none
	wDirty
	wReads // number of reads since the loop head
	wSpin  // 1: it came round to its loop head as it was
	wSum   // sum of its own changes since the loop head (for SpinInSum)
	wHolds // its locks since the loop head, less its unlocks: a byte for each lock
	wDone  // events carried out
	wIdle  // a wait has run out since the loop head
	wRegs
	wHeadRegs = wRegs + NumRegs
	wRead     = wHeadRegs + NumRegs // maxReads pairs: address and size; version
	maxReads  = 6
	threadLen = wRead + 2*maxReads
)

const (
	notYet = iota
	alive
	exited
)

const (
	inQueue = 1 + iota
	signalled
)

// MisuseBug is the bug number of unlocking what one doesn't hold.
const MisuseBug = 1 << 20

type undo struct {
	at  int32
	old int64
}

// Machine runs a Program. It is a por.System.
type Machine struct {
	p     *Program
	loops [][]bool // loops[t][pc]: pc is the target of a backward jump
	spins bool     // there are loops at all
	quiet bool     // mutexes are locked and unlocked, and nothing else (as read-write locks are)
	w     []int64
	log   []undo
	// steps holds the transitions of the current execution.
	steps []trace.Transition
	nstep int
	began []int // the log's length before each
	// awaiting: polls that change nothing aren't possible (await.go).
	awaiting  bool
	uncounted map[[2]int]bool // spins, by thread and place, that can't be one step
	lives     [][]uint32      // see live
	// For tries that fail (backout.go): which threads move which words, the words in which some
	// do, and those in which others can observe it.
	movers           map[mover]bool
	backed, unbacked map[int]bool
	relearn          bool // since the execution began such a word became known
	// For loads before an exchange (hint.go): where they are, those that are steps of their own, and the words.
	hinted, unhinted map[[2]int]bool
	hintWords        map[uint64]bool
	parking          bool // a thread stops for good where it has gone round for nothing
	endLate          bool // an end of the process waits for all that can run
	// overwrites: a Swap is told to be a store.
	overwrites bool
	blending   bool // read-modify-writes and arrivals are told to commute
	counting   bool // and additions that are tested (above.go)
	testing    bool // and what those that don't blend found (tested.go)
	between    map[uint64]bool
	// AtOnce: one of these that finds too little is told at once.
	AtOnce  bool
	below   map[site]bool
	tallies []tally // of the steps of the present execution
	alike   bool    // see Symmetry
	// unreading: stores to words that nothing reads are told; surveyed: the first execution is over;
	// judging: the words are another machine's, and Careless misses no read of them (unread.go).
	unreading, surveyed, judging bool
	stored, read                 map[uint64]bool // the words stored to, and those of them that were read
	// fencesAll: a thread empties all buffers.
	fencesAll bool

	mem, ver, mutex, cond, sem, rw, bar int // where parts of the state begin
	faults, clock, buf                  int

	// Finer makes the next Step return the given error once (for tests of a
	// search's restart).
	Finer error
	// Bug is the bug of the execution that a step with EndBug ended.
	Bug int
}

// New returns a machine at the program's start.
func New(p *Program) *Machine {
	m := &Machine{p: p, uncounted: map[[2]int]bool{}, between: map[uint64]bool{}, below: map[site]bool{}, stored: map[uint64]bool{}, read: map[uint64]bool{}, movers: map[mover]bool{}, backed: map[int]bool{}, unbacked: map[int]bool{},
		hinted: map[[2]int]bool{}, unhinted: map[[2]int]bool{}, hintWords: map[uint64]bool{}}
	at := len(p.Threads) * threadLen
	place := func(n int) int { a := at; at += n; return a }
	m.mem, m.ver = place(p.Bytes), place(p.Bytes)
	m.mutex, m.cond, m.sem = place(p.Mutexes), place(p.Conds), place(len(p.Sems))
	m.rw, m.bar, m.faults, m.clock = place(2*p.RWLocks), place(2*len(p.Barriers)), place(1), place(1)
	if p.Buffers {
		m.buf = place(len(p.Threads) * bufferLen)
	}
	m.w = make([]int64, at)
	for i, b := range p.Init {
		m.w[m.mem+i] = int64(b)
	}
	for i, v := range p.Sems {
		m.w[m.sem+i] = int64(v)
	}
	m.quiet = !p.Overlay && !p.Loud
	for _, code := range p.Threads {
		l := make([]bool, len(code)+1)
		for pc, in := range code {
			m.fencesAll = m.fencesAll || in.Code == FenceAll
			m.quiet = m.quiet && (in.Code != TryLock && !in.Timed || p.Hushed)
			if (in.Code == Jump || in.Code == JumpIf || in.Code == JumpNe) && in.A <= pc {
				l[in.A], m.spins = true, true
			}
		}
		m.loops = append(m.loops, l)
	}
	for t := range p.Threads {
		if t == 0 || p.Standing {
			m.w[t*threadLen+wState] = alive
			m.advance(t)
			m.leave(t)
		}
	}
	m.log = m.log[:0]
	return m
}

func (m *Machine) set(at int, v int64) {
	if m.w[at] != v {
		m.log = append(m.log, undo{int32(at), m.w[at]})
		m.w[at] = v
	}
}

// Mark implements por.System.
func (m *Machine) Mark() trace.Mark { return trace.Mark(uint64(m.nstep)<<32 | uint64(len(m.log))) }

// Rewind implements por.System.
func (m *Machine) Rewind(k trace.Mark) {
	m.undo(int(k & 0xffffffff))
	m.nstep = int(k >> 32)
	m.relearn = m.relearn && m.nstep > 0
	for n := len(m.tallies); n > 0 && m.tallies[n-1].step >= m.nstep; n-- {
		m.tallies = m.tallies[:n-1]
	}
}

// undo takes back what was assigned since the log had n entries.
func (m *Machine) undo(n int) {
	for i := len(m.log) - 1; i >= n; i-- {
		m.w[m.log[i].at] = m.log[i].old
	}
	m.log = m.log[:n]
}

// leave lets a thread go that is at its end, in a program whose threads need no
// step for that.
func (m *Machine) leave(t int) (gone bool) {
	if m.p.Standing && m.op(t).Kind == trace.OpExit && m.empty(t) {
		m.set(t*threadLen+wState, exited)
		return true
	}
	return false
}

// next returns the event at which a live thread stands: nil at its end.
func (m *Machine) next(t int) *Instr {
	code := m.p.Threads[t]
	pc := int(m.w[t*threadLen+wPC])
	if pc >= len(code) || m.p.Budget > 0 && m.w[t*threadLen+wDone] >= int64(m.p.Budget) {
		return nil
	}
	return &code[pc]
}

func (m *Machine) index(t int, in *Instr) int {
	if in.B > 0 {
		return in.A + int(m.w[t*threadLen+wRegs+in.B-1])
	}
	return in.A
}

// advance runs thread t's local instructions up to its next event or end.
func (m *Machine) advance(t int) {
	b := t * threadLen
	code := m.p.Threads[t]
	for budget := 0; ; budget++ {
		if budget > 10000 {
			panic("model: a local loop without an end")
		}
		pc := int(m.w[b+wPC])
		if pc >= len(code) {
			return
		}
		if m.loops[t][pc] {
			m.visit(t, pc)
		}
		in := &code[pc]
		if in.Code >= Load && !(in.Code == Assume && m.w[b+wRegs+in.R] == in.C) {
			if in.Code == Unlock && m.w[m.mutex+m.index(t, in)]&0xff != int64(t+1) ||
				in.Code == CondWait && m.w[b+wQueue] == 0 && m.w[m.mutex+int(in.C)]&0xff != int64(t+1) {
				m.set(b+wBug, MisuseBug+1)
			}
			return
		}
		m.set(b+wInsns, m.w[b+wInsns]+1)
		to := pc + 1
		r := b + wRegs + in.R
		switch in.Code {
		case Set:
			m.set(r, in.C)
		case AddI:
			m.set(r, m.w[r]+in.C)
		case AddR:
			m.set(r, m.w[r]+m.w[b+wRegs+in.A])
		case Jump:
			to = in.A
		case JumpIf:
			if m.w[r] == in.C {
				to = in.A
			}
		case JumpNe:
			if m.w[r] != in.C {
				to = in.A
			}
		case Call:
			var regs [NumRegs]int64
			copy(regs[:], m.w[b+wRegs:])
			in.F(&regs)
			for i, v := range regs {
				m.set(b+wRegs+i, v)
			}
		case Assert, AssNe:
			if (m.w[r] == in.C) != (in.Code == Assert) {
				m.set(b+wBug, int64(in.A)+1)
				return
			}
		}
		m.set(b+wPC, int64(to))
	}
}

// unchanged reports whether no other thread wrote what thread t read since its
// loop head.
func (m *Machine) unchanged(t int) bool {
	b := t * threadLen
	for i := 0; i < int(m.w[b+wReads]); i++ {
		as, seen := m.w[b+wRead+2*i], m.w[b+wRead+2*i+1]
		for a := as >> 8; a < as>>8+as&0xff; a++ {
			if v := m.w[m.ver+int(a)]; v>>8 > seen && v&0xff != int64(t) {
				return false
			}
		}
	}
	return true
}

// visit notes that thread t is at a loop head. It spins if it is in the same local state as
// at its last visit, and made no change since, each write for itself. It spins for as long
// as nothing that it read is written. To lock and to unlock what is quiet is no change: all
// that others may have met is a wait. Else the loop is watched from here on.
func (m *Machine) visit(t, pc int) {
	b := t * threadLen
	same := m.w[b+wHead] == int64(pc+1) && m.w[b+wReads] > 0 && m.w[b+wHolds] == 0
	for i := 0; same && i < NumRegs; i++ {
		same = m.w[b+wRegs+i] == m.w[b+wHeadRegs+i]
	}
	dirty := m.w[b+wDirty] != 0
	if m.p.SpinInSum {
		dirty = m.w[b+wSum] != 0
	}
	if same && (!dirty || m.parking && m.p.ParksBadly == AnyTurn) {
		m.set(b+wSpin, 1)
		return
	}
	m.set(b+wHead, int64(pc+1))
	for i := 0; i < NumRegs; i++ {
		m.set(b+wHeadRegs+i, m.w[b+wRegs+i])
	}
	m.watch(t)
}

// watch starts the record of a loop's reads and writes afresh.
func (m *Machine) watch(t int) {
	b := t * threadLen
	m.set(b+wDirty, 0)
	m.set(b+wHolds, 0)
	m.set(b+wSum, 0)
	m.set(b+wReads, 0)
	m.set(b+wSpin, 0)
	m.set(b+wIdle, 0)
}

// holds counts in what is locked and unlocked between two visits of a loop's
// head. It reports whether op is of that kind, so that others can only wait.
func (m *Machine) holds(t, i int, op *trace.Op) bool {
	at := t*threadLen + wHolds
	switch op.Kind {
	case trace.OpLock:
		m.set(at, m.w[at]+1<<(8*i))
	case trace.OpUnlock:
		m.set(at, m.w[at]-1<<(8*i))
	case trace.OpReadLock:
		m.set(at, m.w[at]+1<<(8*i+32))
	case trace.OpReadUnlock:
		m.set(at, m.w[at]-1<<(8*i+32))
	case trace.OpWriteLock:
		m.set(at, m.w[at]+1<<(8*i+48))
	case trace.OpWriteUnlock:
		m.set(at, m.w[at]-1<<(8*i+48))
	default:
		return false
	}
	return true
}
