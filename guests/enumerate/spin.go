package enumerate

import "slices"

// visit is what a thread knew when it last came by a loop's head: where, with
// which registers, and what it has looked at since.
type visit struct {
	pc   int
	regs Regs
	seen []use
}

// visitLoop is called when a thread stands at a loop's head. It spins if it was
// there before with the same registers, has done nothing since that another thread
// could tell, and nothing that it looked at has been changed since. (spinObserve
// forgets the other visits.) It then waits for what it looked at to be written.
func (s *state) visitLoop(t int) {
	th := &s.threads[t]
	for _, v := range th.visits {
		if v.pc == th.pc && v.regs == th.regs {
			th.spin = v.seen
			if th.spin == nil {
				th.spin = []use{} // looks at nothing: waits for ever
			}
			th.visits = []visit{v}
			return
		}
	}
	th.visits = append(slices.Clip(th.visits), visit{pc: th.pc, regs: th.regs})
}

// spinObserve tells the spin rule of an event of thread t.
func (s *state) spinObserve(t int, uses []use, effect bool) {
	th := &s.threads[t]
	if effect {
		th.visits = nil
	} else if len(th.visits) > 0 && len(uses) > 0 {
		kept := make([]visit, len(th.visits))
		for i, v := range th.visits {
			v.seen = append(slices.Clip(v.seen), uses...)
			kept[i] = v
		}
		th.visits = kept
	}
	for o := range s.threads {
		if o != t {
			s.threads[o].forget(uses)
		}
	}
}

// forget drops the visits after which the thread looked at something that these uses change. If
// the thread waits for that in a spin, it ends the spin. It is then at the loop's head and has
// looked at nothing yet. A silent store counts as a change: the other thread looks again, and
// finds the same.
func (th *thread) forget(uses []use) {
	if th.spin != nil && changes(uses, th.spin) {
		th.spin = nil
		th.visits = []visit{{pc: th.visits[0].pc, regs: th.visits[0].regs}}
		return
	}
	if slices.ContainsFunc(th.visits, func(v visit) bool { return changes(uses, v.seen) }) {
		th.visits = slices.DeleteFunc(slices.Clone(th.visits), func(v visit) bool { return changes(uses, v.seen) })
	}
}

// changes reports whether uses write what was seen.
func changes(uses, seen []use) bool {
	for _, u := range uses {
		if u.mode == read || u.mode == failed || u.mode == order || u.class == process {
			continue
		}
		for _, v := range seen {
			if u.class == v.class && u.obj == v.obj {
				return true
			}
		}
	}
	return false
}
