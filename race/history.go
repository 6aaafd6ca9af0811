package race

import (
	"math/bits"

	"landgo/trace"
)

// record is an access that later ones may race with.
type record struct {
	thread trace.TID
	time   uint32 // epoch: its thread's time
	pc     uint64
	locks  int32
	step   int32 // of the execution, from 0
	size   uint32
	insn   uint16
	mask   uint8 // the bytes of the granule
	write  bool
	atomic bool
}

// access checks an access against those before it and keeps it.
func (d *Detector) access(t trace.TID, a *trace.Access) {
	if a.Flags&trace.Atomic != 0 {
		d.acquireWord(t, a)
	}
	hi := a.Addr + uint64(a.Size)
	for g := a.Addr &^ 7; g < hi; g += 8 {
		m := uint8(0xff)
		if a.Addr > g {
			m <<= a.Addr - g
		}
		if hi < g+8 {
			m &= 0xff >> (g + 8 - hi)
		}
		d.granule(t, a, g, m)
	}
	if a.Flags&trace.Atomic != 0 && a.IsWrite() {
		d.releaseWord(t, a)
	}
}

// granule checks and keeps the part of an access that lies in granule g. Its
// records are a range of d.records; the new range is written behind all others,
// and Rewind cuts it off.
func (d *Detector) granule(t trace.TID, a *trace.Access, g uint64, mask uint8) {
	slot, ok := d.cells[g]
	if !ok {
		slot = d.newSlots(2)
		d.cells[g] = slot
	}
	mine := record{thread: t, time: d.now(t), pc: a.PC, locks: d.slots[d.threads[t].locks], step: d.steps, insn: a.Insn, size: a.Size,
		mask: mask, write: a.IsWrite(), atomic: a.Flags&trace.Atomic != 0}
	lo, hi := int(d.slots[slot]), int(d.slots[slot+1])
	stale := -1 // an older record that mine stands for
	for i := lo; i < hi; i++ {
		r := &d.records[i]
		switch {
		case r.thread == t && r.stoodForBy(&mine):
			stale = i
		case r.thread != t && r.mask&mask != 0 && (r.write || mine.write) && !(r.atomic && mine.atomic) &&
			!d.before(r.thread, r.time, t) && !d.sets.exclude(r.locks, mine.locks):
			d.race(r, &mine, g+uint64(bits.TrailingZeros8(r.mask&mask)))
		}
	}
	if stale >= 0 && d.records[stale].time == mine.time {
		return
	}
	start := len(d.records)
	for i := lo; i < hi; i++ {
		if i != stale {
			d.records = append(d.records, d.records[i])
		}
	}
	d.records = append(d.records, mine)
	d.set(slot, int32(start))
	d.set(slot+1, int32(len(d.records)))
}

// stoodForBy reports whether the later access n of the same thread stands for
// r: what is after n is after r, so whatever races with r races with n, and the
// two make the same pair.
func (r *record) stoodForBy(n *record) bool {
	return r.pc == n.pc && r.locks == n.locks && r.mask == n.mask && r.write == n.write && r.atomic == n.atomic
}
