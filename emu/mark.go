package emu

// #include "journal.h"
import "C"

import (
	"unsafe"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// mark is the content of a trace.Mark: the lengths of everything that grows.
type mark struct {
	journal uint64
	log     int
	slots   int32
	free    int // slots that were given up then: nothing takes one of these while the mark is there
}

// change is an entry of the Go-side log: the old value of a word, or a function
// that takes something back.
type change struct {
	word *uint64
	old  uint64
	undo func()
}

// undoEntry is struct undo of machine.h.
type undoEntry struct{ where, old uint64 }

// Mark remembers the present state: guest memory, page permissions, contexts,
// and the values changed through Set and Undo. It costs the same whatever the
// size of the state.
func (m *Machine) Mark() trace.Mark {
	if n := len(m.marks); n > 0 {
		last := &m.marks[n-1]
		if last.journal == uint64(m.c.njournal) && last.log == len(m.log) && last.slots == int32(m.c.nslots) {
			return trace.Mark(n - 1)
		}
	}
	return m.Aside()
}

// Aside is Mark, for what is tried and taken back: a mark of its own, which Return forgets.
func (m *Machine) Aside() trace.Mark {
	m.marks = append(m.marks, mark{uint64(m.c.njournal), len(m.log), int32(m.c.nslots), len(m.free)})
	return trace.Mark(len(m.marks) - 1)
}

// Return comes back to a mark of Aside and forgets it. So contexts from before it can be given up
// again: a mark that stays keeps them all.
func (m *Machine) Return(k trace.Mark) {
	m.Rewind(k)
	m.marks = m.marks[:k]
}

// Rewind comes back to a marked state, at a cost proportional to the changes
// since. Marks made later are forgotten; this one stays valid.
func (m *Machine) Rewind(k trace.Mark) {
	if k >= trace.Mark(len(m.marks)) {
		panic("emu: rewind to a mark that was forgotten or never made")
	}
	to := m.marks[k]
	m.marks = m.marks[:k+1]
	m.free = m.free[:to.free]
	m.forgetDigests(to)
	m.rewindLog(to.log)
	m.rewindJournal(to.journal)
	m.c.nslots = C.int32_t(to.slots)
}

// Cell is a number of Go-side state. Only Put changes it, by the machine's log, and Rewind
// takes that back.
type Cell struct{ v uint64 }

// Get is the number.
func (c *Cell) Get() uint64 { return c.v }

// Put gives a cell another number, until Rewind gives it back the one before.
func (m *Machine) Put(c *Cell, v uint64) { m.Set(&c.v, v) }

// Flag is a Cell that is true or false.
type Flag struct{ c Cell }

// Get is its value.
func (f *Flag) Get() bool { return f.c.v != 0 }

// Cell is where it is kept: 1 if it is true, else 0.
func (f *Flag) Cell() *Cell { return &f.c }

// PutFlag gives a flag another value, as Put does.
func (m *Machine) PutFlag(f *Flag, v bool) {
	n := uint64(0)
	if v {
		n = 1
	}
	m.Put(&f.c, n)
}

// Set assigns a word of Go-side state; Rewind restores it.
func (m *Machine) Set(p *uint64, v uint64) {
	if *p == v {
		return
	}
	m.log = append(m.log, change{word: p, old: *p})
	*p = v
}

// Undo has f called when the machine is rewound past here: the youngest first,
// among assignments by Set, and before guest memory is restored.
func (m *Machine) Undo(f func()) {
	m.log = append(m.log, change{undo: f})
}

func (m *Machine) rewindLog(n int) {
	for i := len(m.log) - 1; i >= n; i-- {
		c := &m.log[i]
		if c.undo != nil {
			c.undo()
		} else {
			*c.word = c.old
		}
		*c = change{} // the collector must not find its old contents
	}
	m.log = m.log[:n]
}

// rewindJournal undoes changes of memory and permissions, youngest first.
func (m *Machine) rewindJournal(n uint64) {
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)
	programs := m.programs()
	for i := len(j) - 1; i >= int(n); i-- {
		u := &j[i]
		place := u.where & (1<<C.UNDO_KIND_SHIFT - 1)
		if u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_PERM {
			fill(m.perm[place:place+u.old>>8], uint8(u.old))
			m.permitted(place, u.old>>8)
			continue
		}
		if u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_FILL {
			fill(m.Bytes(place, u.old>>8), uint8(u.old))
			continue
		}
		if programs != nil && (programs[place>>abi.PageShift]|programs[(place+7)>>abi.PageShift]) != 0 {
			m.staleProgram(place)
		}
		at := unsafe.Add(m.mem, place)
		switch u.where >> C.UNDO_SIZE_SHIFT {
		case 8:
			*(*uint64)(at) = u.old
		case 4:
			*(*uint32)(at) = uint32(u.old)
		case 2:
			*(*uint16)(at) = uint16(u.old)
		case 1:
			*(*uint8)(at) = uint8(u.old)
		default:
			k := u.where >> C.UNDO_SIZE_SHIFT
			copy(unsafe.Slice((*byte)(at), k), unsafe.Slice((*byte)(unsafe.Pointer(&u.old)), k))
		}
	}
	m.c.njournal = C.uint64_t(n)
	m.c.looked = min(m.c.looked, C.uint64_t(n))
}

func (m *Machine) push(u undoEntry) {
	if m.c.njournal == m.c.journal_cap {
		C.journal_grow(m.c)
	}
	*(*undoEntry)(unsafe.Add(unsafe.Pointer(m.c.journal), uintptr(m.c.njournal)*unsafe.Sizeof(u))) = u
	m.c.njournal++
}

// remember puts n <= 8 bytes at addr into the journal.
func (m *Machine) remember(addr, n uint64) {
	if p := m.programs(); p != nil && p[addr>>abi.PageShift]|p[(addr+7)>>abi.PageShift] != 0 {
		m.staleProgram(addr)
	}
	// invariant: the memory has slack behind its end, so 8 bytes can be read.
	m.push(undoEntry{addr | n<<C.UNDO_SIZE_SHIFT, *(*uint64)(unsafe.Add(m.mem, addr))})
}

// rememberProt puts the permissions that n pages have into the journal.
func (m *Machine) rememberProt(page, n uint64, old uint8) {
	m.push(undoEntry{page | C.UNDO_PERM<<C.UNDO_KIND_SHIFT, n<<8 | uint64(old)})
}

// Logged is the length of the log of Go-side state: it grows with each Set that
// changes a word, and with each Undo.
func (m *Machine) Logged() int { return len(m.log) }

// OnlySet reports whether all changes of Go-side state are of one word since the log had a length.
func (m *Machine) OnlySet(p *uint64, since int) bool {
	for i := since; i < len(m.log); i++ {
		if m.log[i].word != p {
			return false
		}
	}
	return true
}
