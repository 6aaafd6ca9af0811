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

// turnKey is where a thread's step began: a digest of what sameLive compares for
// certain.
type turnKey struct {
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
func (s *finder) placeOf(pc uint64, c emu.Ctx) uint64 {
	dead, _ := s.deadAt(pc)
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
func (s *finder) farTurn(th *thread, i int32, pc uint64) int32 {
	s.enlist(i)
	if !s.in.steps[i-1].turns.on {
		return 0
	}
	from := s.in.steps[i-1].turns.from
	if last := s.in.steps[th.LastStep-1].nth; last >= maxSpinSteps {
		from = max(from, last-maxSpinSteps+1)
	}
	for c := s.in.turns[turnKey{th.ID, s.placeOf(pc, th.Ctx)}]; c != 0; {
		st := &s.in.steps[c-1]
		switch {
		case st.nth < from || st.effects != th.Effects:
			return 0
		case st.insns == th.Insns: // no instruction since: thousands may be so
			c = st.turns.other
		case st.pc == pc && s.sameLive(th, st.ctx):
			return c
		default:
			c = st.turns.older
		}
	}
	return 0
}

// enlist lists the step with number i, and those of its thread before it that aren't
// yet, back to one with an effect.
func (s *finder) enlist(i int32) {
	var fresh []int32
	for ; i != 0 && !s.in.steps[i-1].turns.on && s.still(s.in.steps[i-1].tr); i = s.in.steps[i-1].prev {
		fresh = append(fresh, i)
	}
	for _, f := range slices.Backward(fresh) {
		st := &s.in.steps[f-1]
		st.turns = listed{on: true, from: st.nth}
		if st.prev != 0 && s.in.steps[st.prev-1].turns.on {
			st.turns.from = s.in.steps[st.prev-1].turns.from
		}
		if st.set == 0 {
			st.turns.state = s.placeOf(st.pc, st.ctx)
			k := turnKey{st.tr.Thread, st.turns.state}
			st.turns.older = s.in.turns[k]
			if st.turns.other = st.turns.older; st.turns.other != 0 && s.in.steps[st.turns.other-1].insns == st.insns {
				st.turns.other = s.in.steps[st.turns.other-1].turns.other
			}
			s.in.turns[k] = f
		}
	}
}

// delist takes the steps from index from on, which are taken back, off their lists:
// of each list they are the latest.
func (s *state) delist(from int) {
	for i := len(s.steps) - 1; i >= from; i-- {
		t := &s.steps[i].turns
		if t.state == 0 {
			continue
		}
		if k := (turnKey{s.steps[i].tr.Thread, t.state}); t.older == 0 {
			delete(s.turns, k)
		} else {
			s.turns[k] = t.older
		}
	}
}

// YieldRounds has the turns of long loops count as yields from now on (spins/rounds.go).
func (s *System) YieldRounds() { s.cfg.YieldRounds = true }

// round takes in where a thread stands after a step.
func (s *System) round(th edit) {
	if !s.cfg.YieldRounds || !th.Live() {
		return
	}
	next, yields := th.rounds.Reaches(s.standPC(th.thread))
	if th.rounds = next; yields {
		th.Yielding = true
	}
}
