package por

import (
	"errors"
	"maps"
	"slices"
)

// Units of one tree's search, worked on away (away.go).
//
// A part has the states on the way to its units, as a snapshot has (snapshot.go). A
// unit's result names states and steps of the part by their places, where they are those
// that the unit shares with others: these aren't changed. Those of the unit alone are
// written anew.

// treeForm is how both sides of a part name its states and taken steps: by their places.
type treeForm struct {
	states []*sharedState
	taken  []*branch
}

// part implements lends.
func (t *treeDivision) part(p *packer, lo, hi int) {
	states := packer{ids: map[*branch]uint64{}}
	f := &treeForm{}
	place := map[*sharedState]uint64{}
	for _, u := range t.units[lo:hi] {
		f.states = append(f.states, states.putWay(u.tip, place)...)
	}
	f.taken = states.all
	putList(p, states.all, func(b **branch) { p.putStep(*b) })
	p.put(uint64(len(place)))
	p.buf = append(p.buf, states.buf...)
	p.putBool(t.iteration != nil)
	if t.iteration != nil {
		p.put(uint64(t.iteration.level))
	}
	for _, u := range t.units[lo:hi] {
		u.form = f
		p.put(place[u.tip])
		p.putBool(u.takes)
		p.putMemory(u.old)
		p.putBool(u.chunk != nil)
		if c := u.chunk; c != nil {
			putList(p, c.steps, func(s *frontierStep) { p.put(uint64(s.thread), uint64(s.choice)) })
			putList(p, c.shared, func(n *int) { p.put(uint64(*n)) })
			putList(p, c.ends, func(n *int) { p.put(uint64(*n)) })
		}
	}
}

// borrowTree reads units of a tree's search.
func borrowTree(spec Spec, opts Options, w Worker, u *unpacker, n int) borrowed {
	x := newExplorer(nil, w.Obs, spec, opts)
	x.reset()
	t := &treeDivision{x: x, explorers: []*explorer{x}, workers: []Worker{w}}
	f := &treeForm{taken: getList(u, u.step)}
	listed := map[*branch]bool{}
	for k := u.length(); k > 0 && !u.bad; k-- {
		f.states = append(f.states, u.state(f.states, f.taken, listed))
	}
	if rising := u.bool(); rising != (x.rising != nil) {
		return nil
	} else if rising {
		t.iteration = &iteration{limit: x.rising.limit, level: int32(u.below(uint64(x.rising.limit) + 1))}
	}
	for ; n > 0 && !u.bad; n-- {
		p := &treeUnit{tree: t, form: f, tip: oneOf(u, f.states), takes: u.bool(), old: u.memory()}
		if u.bool() {
			p.chunk = u.chunk()
		}
		t.units = append(t.units, p)
	}
	return t
}

// chunk reads one, whose entries have to fit its steps.
func (u *unpacker) chunk() *chunk {
	c := &chunk{steps: getList(u, func() frontierStep { return frontierStep{u.thread(), u.choice()} })}
	number := func() int { return int(u.below(1 << 31)) }
	c.shared, c.ends = getList(u, number), getList(u, number)
	last := 0
	for k, end := range c.ends {
		if k >= len(c.shared) || end < last || end > len(c.steps) {
			u.bad = true
			break
		}
		last = end
	}
	u.bad = u.bad || len(c.shared) != len(c.ends)
	return c
}

// lentUnits implements borrowed.
func (t *treeDivision) lentUnits() []unit { return unitsOf(t.units) }

// result implements borrowed. Steps and states of the part that aren't changed, those
// of the states that the unit shares with others, go by their places. All else is
// written.
func (t *treeDivision) result(p *packer, k int) {
	u := t.units[k]
	body := packer{ids: map[*branch]uint64{}, first: uint64(len(u.form.taken))}
	place := map[*sharedState]uint64{}
	shares := false
	number := map[*branch]uint64{}
	for i, b := range u.form.taken {
		number[b] = uint64(i)
	}
	at := map[*sharedState]uint64{}
	for i, j := range u.form.states {
		at[j] = uint64(i)
	}
	keep := func(b *branch) {
		if i, ok := number[b]; ok {
			body.ids[b] = i
		}
	}
	for j := u.start; j != nil; j = j.up {
		if shares = shares || j.active > 1 || u.takes; !shares {
			continue
		}
		place[j] = at[j]
		for _, b := range j.sleep {
			keep(b)
		}
		for b := j.done; b != nil; b = b.next {
			keep(b)
		}
	}
	body.putBool(u.takes)
	if u.takes {
		body.putBool(u.taken != nil)
		if u.taken != nil {
			body.put(body.number(u.taken))
		}
		body.putTree(u.todo)
	}
	body.putBool(u.over)
	if u.over {
		from := uint64(0)
		if u.from != nil {
			from = place[u.from] + 1
		}
		body.put(from, uint64(u.thread), uint64(u.choice))
	} else {
		var fresh []*sharedState
		for j := u.tip; j != nil; j = j.up {
			if _, known := place[j]; known {
				break
			}
			fresh = append(fresh, j)
		}
		body.put(uint64(len(fresh)))
		next := uint64(len(u.form.states))
		for _, j := range slices.Backward(fresh) {
			body.putState(j, place)
			place[j] = next
			next++
		}
		body.put(place[u.tip])
		body.putMemory(u.old)
	}
	putList(&body, u.plans, func(n *plan) {
		body.put(place[n.at])
		putList(&body, n.chain, func(b **branch) { body.putStep(*b) })
	})
	values := slices.Sorted(maps.Keys(u.cutOff))
	putList(&body, values, func(v *int32) {
		body.put(uint64(*v))
		body.putFrontier(u.cutOff[*v])
		u.cutOff[*v].drop()
	})
	body.putCounts(&u.stats)
	putList(p, body.all, func(b **branch) { p.putStep(*b) })
	p.buf = append(p.buf, body.buf...)
	p.failed = errors.Join(p.failed, body.failed)
}

// take implements lends.
func (t *treeDivision) take(i int, u *unpacker) bool {
	p := t.units[i]
	taken := slices.Concat(p.form.taken, getList(u, u.step))
	states := slices.Clip(slices.Clone(p.form.states))
	was := *p
	if u.bool() != p.takes {
		return false
	}
	if p.takes {
		if u.bool() {
			p.taken = oneOf(u, taken)
		}
		p.todo = u.tree(0)
	}
	p.start = p.tip
	if p.over = u.bool(); p.over {
		if from := u.below(uint64(len(states)) + 1); from > 0 && !u.bad {
			p.from = states[from-1]
		}
		p.thread, p.choice = u.thread(), u.choice()
		u.bad = u.bad || p.from != nil && find(p.from.done, p.thread, p.choice) == nil && !(p.takes && p.taken != nil)
	} else {
		listed := map[*branch]bool{}
		for n := u.length(); n > 0 && !u.bad; n-- {
			states = append(states, u.state(states, taken, listed))
		}
		p.tip, p.old = oneOf(u, states), u.memory()
	}
	p.plans = getList(u, func() plan { return plan{oneOf(u, states), getList(u, u.step)} })
	p.cutOff = map[int32]*frontier{}
	for n := u.length(); n > 0 && !u.bad; n-- {
		if t.iteration == nil {
			u.bad = true
			break
		}
		v := int32(u.below(uint64(t.iteration.limit) + 1))
		p.cutOff[v] = u.frontier()
	}
	u.counts(&p.stats)
	if u.bad || len(u.buf) > 0 {
		*p = was
		return false
	}
	if p.over {
		p.old = nil
	}
	p.chunk = nil
	return true
}
