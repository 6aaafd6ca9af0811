package scheduler

import (
	"landgo/internal/trace"
	"landgo/scheduler/witness"
)

// Whether threads share anything is asked until it is known that they do, which is
// mostly within some steps. Two threads share what one changes and the other uses, if
// neither was created after what the other did to it, nor was joined before. Else
// there is one order only, whatever the search does.

func (s *state) moment(tr *trace.Transition, accesses int) moment {
	return moment(len(s.steps))<<momentShift | moment(min(accesses, 1<<momentShift-2)+1)
}

// Join notes that a thread has been joined, which it has to be kept for.
func (s *present) Join(t trace.TID, tr *trace.Transition) {
	th := s.edit(t)
	th.Joined, th.joinedAt, th.joinedBy = true, s.moment(tr, len(tr.Accesses)), tr.Thread
}

// use is a thread's latest access to some bytes, on the path that it was on.
type use struct {
	thread trace.TID
	at     moment
	path   uint64 // the number of the step, of all that were ever made
	bytes  uint8  // of the word
	write  bool
	blends bool // see trace.Blend
}

// objectWord makes keys of objects that have no bytes differ from addresses.
const objectWord = 1 << 63

// uses are those of each word, while it isn't known that threads share any.
type uses struct {
	in   *present
	seen *seen
	uses map[uint64][]use
}

// shares reports whether a step conflicts with what another thread did before.
func (m *uses) shares(th *thread, tr *trace.Transition) bool {
	if m.uses == nil {
		m.uses = map[uint64][]use{}
	}
	for i := range tr.Accesses {
		a := &tr.Accesses[i]
		if m.useBytes(th, a.Addr, uint64(a.Size), a.IsWrite(), a.Blends() != trace.NoBlend || m.in.cfg.Unordered, m.in.moment(tr, i)) {
			return true
		}
	}
	for i := range tr.Ops {
		op := &tr.Ops[i]
		at := m.in.moment(tr, int(op.At))
		switch {
		case op.Kind == trace.OpCancel, op.Kind == trace.OpPost, op.Kind == trace.OpTryJoinFail, op.Kind == trace.OpMakeRunnable:
			return true // it is about another thread
		case witness.PointsOf(op.Kind) == 0 || op.Obj == 0 && op.Size == 0:
		case op.Size != 0:
			if m.useBytes(th, op.Obj, uint64(op.Size), true, false, at) {
				return true
			}
		case m.useWord(th, objectWord|op.Obj, use{th.ID, at, m.seen.stepped, 0xff, op.Kind != trace.OpSyscall || op.Arg != 0, false}):
			return true
		}
	}
	return false
}

func (m *uses) useBytes(th *thread, addr, size uint64, write, blends bool, at moment) bool {
	for end := addr + size; addr < end; {
		word, from := addr>>3, addr&7
		to := min(8, from+end-addr)
		mask := uint8(0xff) << from & (0xff >> (8 - to))
		if m.useWord(th, word, use{th.ID, at, m.seen.stepped, mask, write, blends}) {
			return true
		}
		addr += to - from
	}
	return false
}

// useWord keeps a use of a word, and reports whether it conflicts with another
// thread's.
func (m *uses) useWord(th *thread, word uint64, u use) bool {
	kept := m.uses[word]
	same := -1
	for i := range kept {
		o := &kept[i]
		step := int(o.at>>momentShift) - 1
		if step >= len(m.in.steps) || m.in.steps[step].number != o.path {
			continue // of another path
		}
		if o.thread == th.ID {
			if o.bytes == u.bytes && o.write == u.write {
				same = i
			}
			continue
		}
		other := &m.in.threads[o.thread]
		if o.bytes&u.bytes == 0 || !o.write && !u.write || o.at < th.born {
			continue
		}
		// The search doesn't turn round what commutes: the join may be in the way by chance.
		byChance := o.blends && u.blends && th.born < other.joinedAt && th.ID != other.joinedBy
		if other.joinedAt == 0 || u.at < other.joinedAt || byChance {
			return true
		}
	}
	if same >= 0 {
		kept[same] = u
		return false
	}
	if len(kept) >= maxUses { // the rest of other paths goes
		live := kept[:0]
		for _, o := range kept {
			if step := int(o.at>>momentShift) - 1; step < len(m.in.steps) && m.in.steps[step].number == o.path {
				live = append(live, o)
			}
		}
		kept = live
	}
	m.uses[word] = append(kept, u)
	return false
}

// maxUses is how many uses of a word are kept before those of other paths are left out.
const maxUses = 64

// meetStep takes in what a step did, before which the thread was alone or not.
func (m *uses) meetStep(th *thread, tr *trace.Transition, alone bool) {
	met := &m.seen.record.Met
	if th.Parent != trace.NoThread && th.Insns > tr.Begin && !th.Starting {
		met.Ran = true
	}
	for i := range tr.Ops {
		switch k := tr.Ops[i].Kind; {
		case k == trace.OpCreate:
			alone = false
		case k == trace.OpAdvance && !m.in.ranOut.Get():
			m.in.machine.PutFlag(&m.in.ranOut, true)
		case k == trace.OpJoin:
			alone = m.in.Alone(th.ID)
		case !alone:
			met.Points |= witness.PointsOf(k)
		}
	}
	met.Touched(tr.Accesses, m.in.racing)
	if !met.Shared {
		if met.Shared = m.shares(th, tr); met.Shared {
			m.uses = nil
		}
	}
}

// End notes that an execution has ended, which wrote a line. stuck: threads are left that
// can never go on.
func (s *System) End(wrote string, stuck bool) {
	met := &s.record.Met
	met.Ended = met.Ended || !stuck
	if !s.ranOut.Get() {
		met.OnTime = true
	} else {
		met.Late = true
	}
	if met.Wrote == "" {
		met.Wrote = wrote
	}
}
