package scheduler

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
)

// The steps of the present path by where they began. A thread that sorts or
// searches a table reads and reads. With this it needn't look through thousands of
// its steps at each further one (findTurn). A step is listed once its thread has
// made nearSteps more without an effect that others could see.

// placeKey is where a thread's step began: a digest of what sameLive compares for
// certain.
type placeKey struct {
	thread trace.TID
	state  uint64
}

// listed is a step's place in the list of its key.
type listed struct {
	state uint64 // of its key; 0: it is in no list
	older int32  // the next one in the list: its index in state.steps + 1
	other int32  // the next one in the list before which the thread had run fewer instructions
	from  uint32 // the first of the thread's steps, by nth, since which none had an effect
	on    bool   // it is known to have had no effect
}

// placeOf is a digest of where a step began: the instruction, and the general registers
// that aren't dead there.
func (s *spinFinder) placeOf(pc uint64, c emu.Ctx) uint64 {
	dead, _ := s.dead.at(pc)
	r := s.in.machine.Regs(c)
	h := pc
	for i, v := range r.General() {
		if dead&(1<<i) == 0 {
			h = (h ^ v) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
	}
	return h | 1
}

// farTurn is findTurn for the thread's step with number i and those before it; 0 if
// there is none.
func (s *spinFinder) farTurn(th *thread, i int32, pc uint64) int32 {
	s.enlist(i)
	if !s.in.steps[i-1].place.on {
		return 0
	}
	from := s.in.steps[i-1].place.from
	if last := s.in.steps[th.LastStep-1].nth; last >= maxSpinSteps {
		from = max(from, last-maxSpinSteps+1)
	}
	for c := s.in.places[placeKey{th.ID, s.placeOf(pc, th.Ctx)}]; c != 0; {
		st := &s.in.steps[c-1]
		switch {
		case st.nth < from || st.effects != th.Effects:
			return 0
		case st.insns == th.Insns: // no instruction since: thousands may be so
			c = st.place.other
		case st.pc == pc && s.trials.sameLive(th, st.ctx):
			return c
		default:
			c = st.place.older
		}
	}
	return 0
}

// enlist lists the step with number i, and those of its thread before it that aren't
// yet, back to one with an effect.
func (s *spinFinder) enlist(i int32) {
	var fresh []int32
	for ; i != 0 && !s.in.steps[i-1].place.on && s.stillness.still(s.in.steps[i-1].tr); i = s.in.steps[i-1].prev {
		fresh = append(fresh, i)
	}
	for _, f := range slices.Backward(fresh) {
		st := &s.in.steps[f-1]
		st.place = listed{on: true, from: st.nth}
		if st.prev != 0 && s.in.steps[st.prev-1].place.on {
			st.place.from = s.in.steps[st.prev-1].place.from
		}
		if st.set == 0 {
			st.place.state = s.placeOf(st.pc, st.ctx)
			k := placeKey{st.tr.Thread, st.place.state}
			st.place.older = s.in.places[k]
			if st.place.other = st.place.older; st.place.other != 0 && s.in.steps[st.place.other-1].insns == st.insns {
				st.place.other = s.in.steps[st.place.other-1].place.other
			}
			s.in.places[k] = f
		}
	}
}

// delist takes the steps from index from on, which are taken back, off their lists:
// of each list they are the latest.
func (s *state) delist(from int) {
	for i := len(s.steps) - 1; i >= from; i-- {
		t := &s.steps[i].place
		if t.state == 0 {
			continue
		}
		if k := (placeKey{s.steps[i].tr.Thread, t.state}); t.older == 0 {
			delete(s.places, k)
		} else {
			s.places[k] = t.older
		}
	}
}
