package por

// inherit gives the state of n its sleep set (Godefroid 1996): what was asleep
// or already explored in the state before, p, and doesn't depend on the event
// between. Running it here would only lead to what is explored from there.
func (x *explorer) inherit(n, p *node) {
	if !x.sleeps {
		return
	}
	if x.meter != nil && !x.freely {
		x.inheritWithin(n, p)
		return
	}
	e := &p.cur.event
	for i := p.sleeps; i < p.slept; i++ {
		if b := x.sleep[i]; !b.dependent(e) || x.opts.fault == keepAsleep && b.thread != e.thread {
			x.sleep = append(x.sleep, b)
			if i < p.sleeps+p.strays {
				n.strays++
			}
		}
	}
	for b := p.done; b != nil; b = b.next {
		if !b.dependent(e) || x.opts.fault == keepAsleep && b.thread != e.thread {
			x.sleep = append(x.sleep, b)
		}
	}
	n.slept = int32(len(x.sleep))
}
