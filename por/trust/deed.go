package trust

import "landgo/por/relation"

// deed is a copy of what a thread did, or would do.
type deed struct {
	relation.Step
	// expected: it was never seen; it may do less than it says.
	expected bool
}

// pool hands out deeds and takes them back, so that a walk makes little garbage.
type pool struct{ free []*deed }

func (p *pool) get() *deed {
	if n := len(p.free); n > 0 {
		d := p.free[n-1]
		p.free = p.free[:n-1]
		return d
	}
	return new(deed)
}

func (p *pool) copy(e *relation.Event) *deed {
	d := p.get()
	d.Copy(e)
	return d
}

func (p *pool) put(d *deed) {
	if len(p.free) < relation.PoolSpare {
		d.Clear()
		d.expected = false
		p.free = append(p.free, d)
	}
}
