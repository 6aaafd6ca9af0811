package scheduler

import (
	"encoding/binary"

	"landgo/internal/trace"
)

// Awaits: the loops of exact spins that make one shared access a turn. The value that such
// a turn finds settles what it does. Either it only brings the thread back to where it
// stood, with no effect (it polls), or the thread goes on. A step that polls changes
// nothing at all. So a search that asks for it (por.Awaiter) learns that it isn't
// possible. Each execution with polls leads where the one without them does, and those
// without are a fraction. A thread is woken by the writes alone with which it goes on.
//
// Whether it does isn't a matter of the loop's test, which landgo doesn't know. The turn is
// run, with the value there, and taken back (turns). For happens-before the search
// also wants to know what the thread could have done with earlier values (WouldGo).
//
// A loop becomes known by its read once a thread was seen to spin there; all begins again
// then. Where it is written in parts, or an operation works on its bytes, it isn't of this
// kind: a value of several writes is no event's. That is learned, too.
//
// A turn whose effect is taken back is of that kind, too: backout.go.
//
// Detectors of races see polls by polled.go. The detector of triangular races (race.Triangular) sees
// the program without polls. That is as good: under x86-TSO a poll changes nothing either, so the program has the same states
// there with its polls and without. The theorem is one about programs some of whose loads
// are possible with some values only (Bouajjani, Meyer and Möhlmann, ICALP 2011: their
// assertions).
//
// With store buffers (buffer.go) a look finds the thread's own store, if its buffer has one, and
// memory else. A poll leaves the buffer as it is. A plain load whose buffer answers goes on or
// polls by that store alone, until its update and another thread's that comes after. A locked
// instruction waits for its buffer first; only then does what is in memory decide. So a thread is
// tried again when others' writes reach the bytes, and when its own buffer has made an update.
//
// Judged by TestAwaits in por, on programs that are run with all polls and without any, and by
// TestBufferAwaits, on those that the machine of Sewell et al. runs.

// Await implements por.Awaiter.
func (s *System) Await(on bool) {
	s.awaits.on = on && !s.steered() && s.cfg.Fill == nil && !s.Coarse()
	s.awaits.assuming = s.awaits.on && !s.timers.on() && len(s.twins.beside) == 0
	s.hints.begin()
	for i := range s.threads {
		th := edit{&s.threads[i]} // a search begins: this doesn't go back
		th.awaits, th.turns, th.leaving, th.leavingRegs, th.hint, th.whole, th.parked, th.assumes = false, 0, nil, 0, nil, false, false, false
	}
	s.Unlist()
}

// awaits are the accesses at which threads wait.
type awaits struct {
	in        *present
	learning  *learning
	attempt   *attempt
	trials    *trials
	stillness *stillness
	counted   *countedSpins
	backs     *backouts
	hints     *hints
	blends    *blends
	buffers   *buffers
	timers    *timers
	on        bool // polls aren't possible
	assuming  bool // nor are reads behind which an assumption doesn't hold (assume.go)
	spared    *spared
	tried     map[pollKey]afterLook // turns of loops
}

// learn notes that a thread was seen to spin at an access.
func (aw *awaits) learn(a *trace.Access) {
	if aw.on && canAwait(a) && !aw.learning.known.Awaits[a.PC] && !aw.learning.known.Piecemeal[a.PC] && aw.waitsHere(a) {
		aw.learning.known.Awaits[a.PC] = true
		aw.learning.finer = true
	}
}

// learnAssumption notes the read behind which a thread has met an assumption that doesn't hold.
func (aw *awaits) learnAssumption(th *thread, tr *trace.Transition) {
	if !aw.assuming || !aw.fails(th, tr) {
		return
	}
	a, k := &tr.Accesses[0], &aw.learning.known
	if canAwait(a) && !k.Passes && !k.Piecemeal[a.PC] && aw.waitsHere(a) && len(k.Signalled) == 0 && len(aw.in.promises) == 0 && k.Assumes.Add(a.PC) {
		aw.learning.finer = true
	}
}

// waitsHere reports whether a search may be spared the polls of an access.
func (aw *awaits) waitsHere(a *trace.Access) bool {
	return !aw.in.cfg.Polls || aw.in.declared(a)
}

// isAwait reports whether a thread stands at an access by which it is known to wait.
func (aw *awaits) isAwait(th *thread) bool {
	return aw.backs.tries(th) || aw.hints.waits(th) || th.Exists && !th.whole && (th.Stand == StandAccess || th.Stand == StandSpin && th.spinStand == StandAccess) && th.Half == 0 &&
		(aw.learning.known.Awaits[th.Access.PC] || aw.assumes(th.Access.PC)) && !aw.learning.known.Piecemeal[th.Access.PC] && canAwait(&th.Access) && th.Set == 0 &&
		!(aw.timers.on() && aw.learning.known.Signalled.Has(uint64(th.ID))) // a timer goes off in any turn while something else can run
}

// knowsAny reports whether there is an access at which threads are known to wait in any way.
func (aw *awaits) knowsAny() bool {
	k := &aw.learning.known
	return len(k.Awaits)+len(k.Assumes)+len(k.Counted)+len(k.Movers)+len(k.Swaps)+len(k.Hints) > 0
}

// settle is called at the end of each step: which threads await now, and can those
// that do go on?
func (aw *awaits) settle(info *stepInfo) {
	if !aw.on {
		return
	}
	*aw.spared = (*aw.spared)[:0]
	tr := info.tr
	if !aw.knowsAny() && aw.backs.doubtful == 0 {
		aw.backs.learn(&aw.in.threads[tr.Thread])
		aw.hints.learn(info)
		return
	}
	aw.noteWrites(info)
	aw.noteTime(tr)
	aw.backs.noteUse(info)
	aw.backs.learn(&aw.in.threads[tr.Thread])
	aw.hints.settle(info)
	known := aw.knowsAny()
	for i := range aw.in.threads {
		th := &aw.in.threads[i]
		if !known && th.Stand != StandSpin {
			continue
		}
		counted, came := aw.counted.is(th), !th.awaits && th.turns == 0
		switch {
		case !counted && !aw.isAwait(th):
			if th.Exists && th.Stand == StandSpin {
				for k := range th.Waits {
					aw.blends.noteAwaited(&th.Waits[k])
					aw.blends.noteBetween(&th.Waits[k])
				}
			}
			continue
		case came:
			aw.blends.noteAwaited(&th.Access)
			if aw.in.writes.InParts(&th.Access) || th.buffer.HasParts(&th.Access) {
				aw.giveUp(&th.Access)
				continue
			}
		case !aw.meets(tr, &th.Access) && !(tr.Updates && tr.Of == th.ID):
			continue
		}
		e := aw.in.edit(th.ID)
		e.assumes = false
		if th.Access.Flags&trace.Atomic != 0 && !th.buffer.Empty() {
			e.awaits = true // its buffer comes first
			continue
		}
		var polls bool
		if counted {
			if polls = aw.counted.settle(e); !aw.waitsHere(&th.Access) {
				aw.blends.noteBetween(&th.Access)
				continue
			}
		} else {
			how := aw.look(th, nil)
			polls, e.assumes = how != leads, how == fails
		}
		assumes := e.assumes
		if aw.backs.tries(th) {
			aw.blends.noteBetween(&th.Access)
		} else {
			aw.between(th, came)
		}
		*aw.spared = append(*aw.spared, sparedThread{th.ID, came, polls})
		switch {
		case polls && th.Stand == StandAccess:
			aw.in.spinOn(e, []trace.Access{th.Access})
		case !polls && th.Stand == StandSpin && th.awaits:
			e.Stand = th.spinStand
		case !polls && th.Stand == StandSpin:
			continue // in a longer loop
		}
		e.awaits, e.assumes = true, assumes
	}
}

// Rest has the threads wait that would only poll: in a schedule's end state, of a search that
// was spared the polls, they seem ready. True: it has learned of finer points by that, and
// the execution is to begin again.
func (s *System) Rest() (news bool) {
	finer := s.finer
	s.finer = false
	for i := range s.threads {
		th := &s.threads[i]
		if !th.Exists || th.Stand != StandAccess || th.Half != 0 || th.Set != 0 || !canAwait(&th.Access) || s.steered() || s.Alone(th.ID) {
			continue
		}
		if how := s.awaits.lookOnce(th, nil); how != leads || s.counted.rests(th) || s.awaits.backs.rests(th) || s.hints.rests(th) {
			e := s.edit(th.ID)
			s.spinOn(e, []trace.Access{th.Access})
			e.assumes = how == fails
		}
	}
	news, s.finer = s.finer, finer
	return news
}

// meets reports whether a step changes the bytes of an access at which a thread
// waits.
func (aw *awaits) meets(tr *trace.Transition, at *trace.Access) (meets bool) {
	for i := range tr.Accesses {
		if a := &tr.Accesses[i]; a.IsWrite() && a.Flags&trace.Buffered == 0 && a.Overlaps(at) {
			if a.Addr != at.Addr || a.Size != at.Size {
				aw.giveUp(at)
			}
			meets = true
		}
	}
	for i := range tr.Ops { // one with bytes may change them
		if op := &tr.Ops[i]; op.Size != 0 && at.Overlaps(&trace.Access{Addr: op.Obj, Size: op.Size}) {
			aw.giveUp(at)
		}
	}
	return meets
}

func (aw *awaits) giveUp(a *trace.Access) {
	aw.blends.noteBetween(a)
	if aw.backs.moves(a) || aw.learning.known.Swaps[a.PC] {
		aw.backs.tell(a)
	}
	if !aw.learning.known.Piecemeal[a.PC] {
		aw.learning.known.Piecemeal[a.PC] = true
		aw.learning.finer = true
	}
}

// noteWrites remembers what a step wrote.
func (aw *awaits) noteWrites(info *stepInfo) {
	for i := range info.tr.Accesses {
		if a := &info.tr.Accesses[i]; a.IsWrite() && a.Flags&trace.Buffered == 0 {
			aw.noteWrite(info, a.Addr, uint64(a.Size), !canAwait(a))
		}
	}
	for i := range info.tr.Ops {
		if op := &info.tr.Ops[i]; op.Size != 0 {
			aw.noteWrite(info, op.Obj, uint64(op.Size), true)
		}
	}
}

// noteWrite does so for some bytes. part: they are of something larger, or an operation's.
func (aw *awaits) noteWrite(info *stepInfo, addr, size uint64, part bool) {
	aw.in.writes.Add(int32(len(aw.in.steps)-1), addr, size, part, func(addr, size uint64) (old uint64) {
		aw.in.machine.Values(info.before, addr, size, func(v uint64) { old = v })
		return old
	})
}

// WouldGo implements por.Awaiter.
func (s *System) WouldGo(t trace.TID, f func(back int, goes bool)) {
	th, last := &s.threads[t], int32(-1)
	for step, old := range s.writes.Before(&th.Access) {
		if step != last {
			last = step
			f(len(s.steps)-1-int(step), !s.awaits.polls(th, &old))
		}
	}
}

// afterLook is how the next step of a thread that awaits would end.
type afterLook uint8

const (
	leads   afterLook = iota // the thread goes on
	returns                  // it is only back where it was
	fails                    // it is at an assumption that doesn't hold
)

// polls reports whether the next step of a thread that awaits isn't possible, if it found the value v, nil for what
// is there.
func (aw *awaits) polls(th *thread, v *uint64) bool { return aw.look(th, v) != leads }

// look says how it would end. An assumption counts if that is known of its read.
func (aw *awaits) look(th *thread, v *uint64) afterLook {
	if how := aw.lookOnce(th, v); how != fails || aw.assumes(th.Access.PC) {
		return how
	}
	return leads
}

// lookOnce says how it would end.
func (aw *awaits) lookOnce(th *thread, v *uint64) afterLook {
	vain := func(is bool) afterLook {
		if is {
			return returns
		}
		return leads
	}
	if aw.backs.tries(th) {
		return vain(aw.backs.fails(th, v))
	}
	if aw.hints.waits(th) {
		if v != nil {
			return vain(th.hint.Vain[*v])
		}
		return vain(th.hint.Vain[aw.in.valueAt(&th.Access)])
	}
	key := pollKey{thread: th.ID, effects: th.Effects}
	a := &th.Access
	if v == nil {
		key.value = aw.in.valueFor(th, a)
	} else {
		key.value = *v
	}
	key.number = aw.in.since(th)
	if known, ok := aw.tried[key]; ok {
		return known
	}
	current := aw.attempt.current
	var how afterLook
	r := goesOn
	aw.trials.probe(th, func(th edit) {
		aw.buffers.enter(th)
		if v != nil {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], *v)
			aw.in.machine.Write(a.Addr, b[:a.Size])
		}
		counted := aw.counted.is(th.thread)
		if th.Stand, th.Waits, th.awaits = StandAccess, nil, false; counted {
			how = vain(aw.counted.recursWith(th))
			return
		}
		var tr *trace.Transition
		if r, tr = aw.trials.comesRound(th); r == onlyLooks {
			how = returns
		} else if aw.fails(th.thread, tr) {
			how = fails
		}
	})
	aw.attempt.current = current
	if r == looksOn && v == nil { // its first turn leaves other bytes on the stack than were there
		aw.counted.learn(th)
	}
	if len(aw.tried) >= mostPolls {
		clear(aw.tried)
	}
	if key.number != 0 {
		aw.tried[key] = how
	}
	return how
}

// between (see between.go) looks whether a thread that awaits would have gone on with a number between two additions that
// commute, or before them. came: the thread has just come to await. Else all but the latest were looked at.
func (aw *awaits) between(th *thread, came bool) {
	if !aw.blends.testing || !aw.blends.unordered(&th.Access) {
		return
	}
	var before trace.Blend // of the write that came next
	var first uint64       // what was there before that
	run := 0
	for step, old := range aw.in.writes.Before(&th.Access) {
		b := aw.in.steps[step].tr.BlendOf(&th.Access)
		if run++; !b.Commutes(before) {
			if run > 1 && !came {
				return
			}
			run = 1
		}
		if run == 2 && !aw.polls(th, &first) || run > 1 && !aw.polls(th, &old) {
			aw.blends.noteBetween(&th.Access)
			return
		}
		before, first = b, old
	}
}
