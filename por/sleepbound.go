package por

import "landgo/por/relation"

// inheritWithin gives n its sleep set within a bound. A step b sleeps after the
// event e because what begins with b was explored: e.w.b.v is left out for
// b.e.w.v. Within a bound that only holds if the second costs no more than the
// first.
//
// It does if nothing was cut off when b was explored: then everything that
// begins with b was, whatever it costs. Else, for preemptions, it does if b was
// cheaper than e, so that it went on with the running thread where e left it. In
// e.w.b.v the running thread is left at once, in b.e.w.v after b; the switch to
// b and back is saved. And b must not make a switch in e.w dearer. It does where
// it lets a thread go on that could be left freely because it was blocked. So a
// sleeper also wakes when the event's thread begins to wait for something that
// depends on it. With a fair bound no step sleeps that was a yield or changed
// which threads can run (conservative.go).
//
// Deviation: "we never place transitions in the sleep set if they were
// conservatively added" (Coons et al. §5.4) is another rule. Taken alone it
// isn't enough: in their Fig. 1 it is the first transition, not the
// conservatively added one, that sleeps where it is needed.
func (x *explorer) inheritWithin(n, p *node) {
	if x.opts.fault == slideSleep || x.opts.fault == slideWake {
		x.inheritSlides(n, p)
		return
	}
	e := &p.cur.Event
	var stuck *relation.Event
	if t := x.thread(e.Thread); t != nil {
		stuck = x.next.waitsFor(t)
	}
	sleeps := func(b *branch) bool {
		if b.Dependent(e) && !(x.opts.fault == keepAsleep && b.Thread != e.Thread) {
			return false
		}
		return !b.cut || stuck == nil || !b.Dependent(stuck)
	}
	for i := p.sleeps; i < p.slept; i++ {
		if b := x.sleep[i]; sleeps(b) {
			x.sleep = append(x.sleep, b)
		}
	}
	preempt, fair := x.meter.limits[0] >= 0, x.meter.limits[1] >= 0
	for b := p.done; b != nil; b = b.next {
		if b.cut && (preempt && b.price >= p.cur.price || fair && b.changes) {
			continue
		}
		if sleeps(b) {
			x.sleep = append(x.sleep, b)
		}
	}
	n.slept = int32(len(x.sleep))
}

// inheritSlides does so by the letter of Algorithms 12 and 13: what was explored
// sleeps unless it was added conservatively, and wakes by dependence only. It
// loses executions (TestThesisSleep).
func (x *explorer) inheritSlides(n, p *node) {
	if x.opts.fault == slideWake && p.cur.conservative {
		return
	}
	for i := p.sleeps; i < p.slept; i++ {
		if b := x.sleep[i]; !b.Dependent(&p.cur.Event) {
			x.sleep = append(x.sleep, b)
		}
	}
	for b := p.done; b != nil; b = b.next {
		if !b.conservative && !b.Dependent(&p.cur.Event) {
			x.sleep = append(x.sleep, b)
		}
	}
	n.slept = int32(len(x.sleep))
}
