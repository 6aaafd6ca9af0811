package race

import (
	"iter"
	"slices"

	"landgo/internal/trace"
)

// The order by synchronisation. An operation acquires the earlier releases to
// its object. Sections without interrupts are one lock for all. A timeout
// orders nothing, nor does an operation that fails or only looks.

// edges says which clocks of its object an operation takes part in.
type edges uint8

const (
	// acquire, release: of the object's clock.
	acquire edges = 1 << iota
	release
	// readRelease: of the readers' clock, which a writer acquires.
	readRelease
	acquireReaders
	// wakes: a thread that it lets go on goes on after it.
	wakes
	// lock edges are left out by limited happens-before.
	locks
)

var edgesOf = [trace.NumOps]edges{
	trace.OpCreate:  wakes,
	trace.OpExit:    release,
	trace.OpJoin:    acquire,
	trace.OpTryJoin: acquire,
	trace.OpCancel:  wakes,
	trace.OpPost:    wakes,

	trace.OpLock:    acquire | locks,
	trace.OpTryLock: acquire | locks,
	trace.OpUnlock:  release | locks,

	trace.OpCondSignal:    wakes,
	trace.OpCondBroadcast: wakes,

	trace.OpSemWait:    acquire,
	trace.OpSemTryWait: acquire,
	trace.OpSemPost:    release | wakes,

	trace.OpReadLock:     acquire | locks,
	trace.OpTryReadLock:  acquire | locks,
	trace.OpWriteLock:    acquire | acquireReaders | locks,
	trace.OpTryWriteLock: acquire | acquireReaders | locks,
	trace.OpReadUnlock:   readRelease | locks,
	trace.OpWriteUnlock:  release | locks,

	trace.OpFutexWake:     wakes,
	trace.OpFutexRequeue:  wakes,
	trace.OpFutexLockPI:   acquire | locks,
	trace.OpFutexTryPI:    acquire | locks,
	trace.OpFutexUnlockPI: release | wakes | locks,

	trace.OpInterruptsOff: acquire | locks,
	trace.OpInterruptsOn:  release | locks,

	trace.OpMakeRunnable: wakes,

	trace.OpSend:    release | wakes,
	trace.OpReceive: acquire | wakes,
}

// kind of object: one address can be a mutex's and a futex's.
type space uint16

const (
	syncObject space = iota
	readers
	thread
	word        // the bytes of locked instructions
	plainWord   // the same, without those that blend
	blendedWord // those that blend, and 4 more, by trace.Blend
	_
	_
	_
	_
	barrierClock // the arrivals of the round
	barrierRound // its number
	barrierDone  // the arrivals of the round before
	anyOperation // mode Adjacent
	holder       // Triangular: the thread that holds a mutex, and how often
	testedWord   // those that blend by what they find, and more, by trace.Blend
)

type objectKey struct {
	space space
	obj   uint64
}

// recentObject is an entry of objects; slot 0: none.
type recentObject struct {
	key  objectKey
	slot int32
}

func (d *order) object(s space, obj uint64) int32 {
	k := objectKey{s, obj}
	recent := &d.recentObjects[(obj>>3^obj^uint64(s)<<3)%uint64(len(d.recentObjects))]
	if recent.slot != 0 && recent.key == k {
		return recent.slot
	}
	slot, ok := d.objects[k]
	if !ok {
		slot = d.newSlots(1)
		d.objects[k] = slot
	}
	*recent = recentObject{k, slot}
	return slot
}

// operation carries out the order by o. It reports whether o may wake others,
// whose order the caller sees to.
func (d *Detector) operation(t trace.TID, o *trace.Op, fresh bool) (woke bool) {
	d.holding(t, o)
	if d.cfg.Mode == Adjacent {
		d.onObject(t, o)
	}
	switch o.Kind {
	case trace.OpFree:
		if o.Arg == trace.Returns { // to use what has ended with it is a bug, and needs no race
			d.reuse(o)
		} else {
			d.free(t, o, fresh)
		}
		return false
	case trace.OpReuse:
		d.reuse(o)
		return false
	}
	if e := edgesOf[o.Kind]; e&locks != 0 && d.cfg.Mode == Limited {
		return e&wakes != 0
	}
	return d.synchronise(t, o)
}

// synchronise is operation, for what is of pure happens-before.
func (d *order) synchronise(t trace.TID, o *trace.Op) (woke bool) {
	switch o.Kind {
	case trace.OpOnce, trace.OpOncePass:
		if o.Arg == trace.OnceEnds || o.Arg == trace.OnceLeft {
			d.releaseTo(t, d.object(syncObject, o.Obj))
		} else { // a thread that finds it done comes after its end, but not after others that did
			d.joinClock(t, d.slots[d.object(syncObject, o.Obj)])
		}
		return false
	case trace.OpCreate:
		child := trace.TID(o.Obj)
		d.ensure(child)
		d.joinClock(child, d.clockOf(t))
		return true
	case trace.OpBarrierArrive:
		d.arrive(t, o.Obj)
		return true
	case trace.OpBarrierLeave:
		d.leave(t, o.Obj)
		return false
	}
	e := edgesOf[o.Kind]
	s := syncObject
	if o.Kind == trace.OpExit || o.Kind == trace.OpJoin || o.Kind == trace.OpTryJoin {
		s = thread
	}
	if e&acquire != 0 {
		d.joinClock(t, d.slots[d.object(s, o.Obj)])
	}
	if e&acquireReaders != 0 {
		d.joinClock(t, d.slots[d.object(readers, o.Obj)])
	}
	if e&(release|readRelease) == 0 {
		return e&wakes != 0
	}
	if e&readRelease != 0 {
		s = readers
	}
	d.releaseTo(t, d.object(s, o.Obj))
	return e&wakes != 0
}

// releaseTo makes later acquirers of the object come after thread t's events so
// far. Earlier releases stay: a semaphore's posts add up, and a lock's come
// before anyway.
func (d *order) releaseTo(t trace.TID, slot int32) {
	mine := d.clockOf(t)
	d.set(slot, d.joined(mine, d.slots[slot]))
	d.tick(t)
}

// arrive and leave: a thread leaves a barrier's round after all arrivals in it.
// The first to leave ends the round; a thread that arrives again is in the next
// one.
func (d *order) arrive(t trace.TID, obj uint64) {
	round := d.object(barrierRound, obj)
	d.set(d.threads[t].round, d.slots[round])
	d.releaseTo(t, d.object(barrierClock, obj))
}

func (d *order) leave(t trace.TID, obj uint64) {
	round, clock, done := d.object(barrierRound, obj), d.object(barrierClock, obj), d.object(barrierDone, obj)
	if d.slots[d.threads[t].round] == d.slots[round] {
		d.set(done, d.slots[clock])
		d.set(clock, 0)
		d.set(round, d.slots[round]+1)
	}
	d.joinClock(t, d.slots[done])
}

// acquireWord and releaseWord order a locked instruction with the others on the
// same bytes. One that fails to exchange changes nothing, and doesn't publish
// its clock. Two that blend (trace.Blend) aren't ordered by each other: they may come in the
// other order, which isn't run.
func (d *Detector) acquireWord(t trace.TID, a *trace.Access) {
	if d.cfg.Mode == Limited {
		return
	}
	blend := a.Blends()
	for w := range d.lockedWords(a) {
		if blend == trace.NoBlend {
			d.joinClock(t, d.slots[d.object(word, w)])
			continue
		}
		d.joinClock(t, d.slots[d.object(plainWord, w)])
		for b := trace.BlendAdd; b <= trace.BlendStore; b++ {
			if !b.Commutes(blend) {
				d.joinClock(t, d.slots[d.object(ofBlend(b), w)])
			}
		}
		for _, b := range d.tested[w] {
			if !b.Commutes(blend) {
				d.joinClock(t, d.slots[d.object(ofBlend(b), w)])
			}
		}
	}
}

// ofBlend is the space of the words of a blend.
func ofBlend(b trace.Blend) space {
	if b.Tested() {
		return testedWord + space(b)
	}
	return blendedWord + space(b-trace.BlendAdd)
}

// lockedWords are the words with bytes of an access that locked instructions were seen to access.
func (d *Detector) lockedWords(a *trace.Access) iter.Seq[uint64] {
	return func(yield func(word uint64) bool) {
		hi := a.Addr + uint64(a.Size)
		for g := a.Addr &^ 7; g < hi; g += 8 {
			mask := trace.GranuleMask(g, a.Addr, hi)
			for _, m := range d.masks[g] {
				if m&mask != 0 && !yield(wordOf(g, m)) {
					return
				}
			}
		}
	}
}

// wordOf names some bytes of a granule: two words in one granule have nothing to do with each other. The
// topmost byte of an address is 0 or 0xff.
func wordOf(granule uint64, mask uint8) uint64 { return granule ^ uint64(mask)<<56 }

// lockedWord reports whether locked instructions were seen to access bytes of an access.
func (d *Detector) lockedWord(a *trace.Access) bool {
	for range d.lockedWords(a) {
		return true
	}
	return false
}

func (d *Detector) releaseWord(t trace.TID, a *trace.Access) {
	if d.cfg.Mode == Limited {
		return
	}
	hi := a.Addr + uint64(a.Size)
	for g := a.Addr &^ 7; g < hi; g += 8 {
		mask := trace.GranuleMask(g, a.Addr, hi)
		if !slices.Contains(d.masks[g], mask) {
			d.masks[g] = append(d.masks[g], mask)
		}
		w, kind := wordOf(g, mask), plainWord
		if b := a.Blends(); b != trace.NoBlend {
			kind = ofBlend(b)
			if b.Tested() && !slices.Contains(d.tested[w], b) {
				d.tested[w] = append(d.tested[w], b)
			}
		}
		mine, was, now := d.clockOf(t), int32(-1), int32(0)
		for _, s := range [...]space{word, kind} { // the same clock, without blends
			slot := d.object(s, w)
			if old := d.slots[slot]; old != was {
				was, now = old, d.joined(mine, old)
			}
			d.set(slot, now)
		}
	}
	d.tick(t)
}
