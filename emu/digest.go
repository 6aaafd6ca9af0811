package emu

// #include "machine.h"
import "C"

import (
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"

	"landgo/internal/trace"
)

// Digests of the machine's state, for searches that store states.
//
// A digest is a sum over all places that the journal and the log have ever
// changed on the present path. Each adds the hash of (place, value now) minus
// the hash of (place, value at the start). So restored places add nothing, and
// the order of changes makes no difference. So it is brought up to date from
// the entries since it was last asked for, and Rewind takes it back by
// forgetting.

// digestPoint is the digest of the state in which journal and log had these
// lengths, on the present path.
type digestPoint struct {
	journal uint64
	log     int
	sum     trace.Digest
}

// ErrClockRead says that a guest has read the processor's clock.
var ErrClockRead = errors.New("the guest reads the processor's time-stamp counter (rdtsc), which counts instructions: two ways to a state may differ in it")

// Digest is the same for two states of this machine if and only if guest
// memory, page permissions and the values changed through Set are. 128 bits
// leave a negligible chance of error. Contexts have digests of their own
// (CPUDigest). It fails if something was changed through Undo, whose value it
// can't see, or the guest has read a clock that isn't part of contexts'
// digests.
func (m *Machine) Digest() (trace.Digest, error) {
	if m.c.clock_reads != 0 {
		return trace.Digest{}, ErrClockRead
	}
	var from digestPoint
	if n := len(m.digests); n > 0 {
		from = m.digests[n-1]
	}
	now := digestPoint{uint64(m.c.njournal), len(m.log), from.sum}
	if now == from {
		return from.sum, nil
	}
	m.digestMemory(&now.sum, from.journal)
	if err := m.digestWords(&now.sum, from.log); err != nil {
		return trace.Digest{}, err
	}
	m.digests = append(m.digests, now)
	return now.sum, nil
}

// ClockReads is how often the guest has read the time-stamp counter.
func (m *Machine) ClockReads() uint64 { return uint64(m.c.clock_reads) }

// ForgetClockReads begins to count anew.
func (m *Machine) ForgetClockReads() { m.c.clock_reads = 0 }

// forgetDigests is Rewind's part.
func (m *Machine) forgetDigests(to mark) {
	n := len(m.digests)
	for n > 0 && (m.digests[n-1].journal > to.journal || m.digests[n-1].log > to.log) {
		n--
	}
	m.digests = m.digests[:n]
}

// Kinds of places.
const (
	placeMemory = iota
	placePage
	placeWord
)

// move adds that a place's value has changed.
func move(sum *trace.Digest, kind, place, old, now uint64) {
	if old == now {
		return
	}
	h := trace.NewHash()
	h.Words(kind, place, now)
	sum.Add(h.Sum())
	h = trace.NewHash()
	h.Words(kind, place, old)
	sum.Sub(h.Sum())
}

// digestMemory adds the changes of the journal's entries from index from on.
func (m *Machine) digestMemory(sum *trace.Digest, from uint64) {
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)[from:]
	isFill := func(u *undoEntry) bool { return u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_FILL }
	isPerm := func(u *undoEntry) bool { return u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_PERM }
	place := func(u *undoEntry) uint64 { return u.where & (1<<C.UNDO_KIND_SHIFT - 1) }
	m.granules, m.pages = m.granules[:0], m.pages[:0]
	for i := range j {
		u := &j[i]
		if isPerm(u) {
			for p, n := place(u), u.old>>8; n > 0; p, n = p+1, n-1 {
				m.pages = append(m.pages, touched{p, uint64(m.perm[p])})
			}
			continue
		}
		lo, n := place(u), u.where>>C.UNDO_SIZE_SHIFT
		if isFill(u) {
			n = u.old >> 8
		}
		for g := lo &^ 7; g < lo+n; g += 8 {
			m.granules = append(m.granules, touched{g, *(*uint64)(unsafe.Add(m.mem, g))})
		}
	}
	m.granules, m.pages = once(m.granules), once(m.pages)
	// Restore the old bytes, youngest first, in the copies.
	for i := len(j) - 1; i >= 0; i-- {
		u := &j[i]
		if isPerm(u) {
			for p, n := place(u), u.old>>8; n > 0; p, n = p+1, n-1 {
				at(m.pages, p).value = u.old & 0xff
			}
			continue
		}
		if isFill(u) {
			lo, hi := place(u), place(u)+u.old>>8
			for i := index(m.granules, lo&^7); i < len(m.granules) && m.granules[i].place < hi; i++ {
				g := &m.granules[i]
				for a := max(g.place, lo); a < min(g.place+8, hi); a++ {
					shift := a % 8 * 8
					g.value = g.value&^(0xff<<shift) | u.old&0xff<<shift
				}
			}
			continue
		}
		var old [8]byte
		binary.LittleEndian.PutUint64(old[:], u.old)
		for k := range u.where >> C.UNDO_SIZE_SHIFT {
			a := place(u) + k
			shift := a % 8 * 8
			g := at(m.granules, a&^7)
			g.value = g.value&^(0xff<<shift) | uint64(old[k])<<shift
		}
	}
	for _, g := range m.granules {
		move(sum, placeMemory, g.place, g.value, *(*uint64)(unsafe.Add(m.mem, g.place)))
	}
	for _, p := range m.pages {
		move(sum, placePage, p.place, p.value, uint64(m.perm[p.place]))
	}
}

// WordsSince is a digest of how words of Go-side state have changed since the log had this length
// (Logged). Two ways from one state to the same words have the same digest. An error means that a
// part has no digest.
func (m *Machine) WordsSince(logged int) (sum trace.Digest, err error) {
	err = m.digestWords(&sum, logged)
	return sum, err
}

// digestWords adds the changes of the log's entries from index from on.
func (m *Machine) digestWords(sum *trace.Digest, from int) error {
	entries := m.log[from:]
	for i := range entries {
		c := &entries[i]
		if c.undo != nil {
			return errors.New("a part of the kernel's state can't be told apart (it is taken back by a function)")
		}
		first := true // only the oldest entry of a word has its first value
		for k := range entries[:i] {
			first = first && entries[k].word != c.word
		}
		if first {
			move(sum, placeWord, m.ordinal(c.word), c.old, *c.word)
		}
	}
	return nil
}

// ordinal names a word of Go-side state: by the order in which words are met,
// for their addresses differ from run to run.
func (m *Machine) ordinal(p *uint64) uint64 {
	if m.words == nil {
		m.words = map[*uint64]uint64{}
	}
	n, ok := m.words[p]
	if !ok {
		n = uint64(len(m.words))
		m.words[p] = n
	}
	return n
}

// touched is a place that changed, and its value.
type touched struct{ place, value uint64 }

// once sorts places and leaves each there once.
func once(t []touched) []touched {
	slices.SortFunc(t, func(a, b touched) int {
		switch {
		case a.place < b.place:
			return -1
		case a.place > b.place:
			return 1
		}
		return 0
	})
	return slices.Compact(t)
}

func at(t []touched, place uint64) *touched { return &t[index(t, place)] }

// index is where a place is, or would be.
func index(t []touched, place uint64) int {
	lo, hi := 0, len(t)
	for lo < hi {
		if mid := (lo + hi) / 2; t[mid].place < place {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// CPUDigest is the same for two contexts if and only if SameCPU finds no
// difference between them and both stand before the same event, as far as 128
// bits go.
func (m *Machine) CPUDigest(c Ctx) trace.Digest {
	s := m.slot(c)
	var words [C.CONTEXT_WORDS]C.uint64_t
	C.context_words(m.c, C.int32_t(c), &words[0])
	h := trace.NewHash()
	for _, w := range words {
		h.Word(uint64(w))
	}
	h.Words(uint64(s.poised.addr), uint64(s.poised.size), uint64(s.parts), uint64(s.done), uint64(s.nheld))
	for i := range int(s.nheld) {
		h.Words(uint64(s.held[i].addr), uint64(s.held[i].size))
		for _, b := range heldBytes(&s.held[i]) {
			h.Word(uint64(b))
		}
	}
	return h.Sum()
}
