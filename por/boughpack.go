package por

import (
	"math"

	"landgo/trace"
)

// A search of graphs as plain bytes (snapshot.go): the counts, and each part's
// steps and what they displaced, what is held, and its scale.

// boughsVersion is that of what boughs pack.
const boughsVersion = snapshotVersion + 1

// pack implements division.
func (b *boughs) pack() ([]byte, error) {
	p := packer{}
	p.put(boughsVersion)
	p.putCounts(&b.stats)
	p.putBool(b.cut)
	p.putBool(b.whole)
	p.put(b.used, uint64(len(b.parts)))
	for _, g := range b.parts {
		p.put(uint64(g.floor), uint64(g.nested))
		p.putBool(g.done)
		p.put(uint64(len(g.steps)))
		for i := range g.steps {
			e := &g.steps[i]
			p.put(uint64(e.thread), uint64(e.choice), e.last, uint64(e.added), uint64(e.group), uint64(e.redo+1))
			if e.added == revisits {
				p.putStep(e.displaced)
			}
			p.putHeld(e.held)
		}
		p.putHeld(g.top)
		p.putScale(&g.scale)
	}
	return p.buf, p.failed
}

func (p *packer) putScale(s *scale) {
	p.putFloats(s.done, s.lifted)
	p.put(uint64(s.light), uint64(len(s.runs)))
	for i := range s.runs {
		r := &s.runs[i]
		p.putFloats(r.before, r.weight)
		p.put(uint64(r.floor+1), uint64(r.effort), uint64(len(r.joints)))
		for _, j := range r.joints {
			p.putFloats(j.before, j.weight, j.size, j.stay)
			p.putBool(j.known)
			p.put(uint64(j.next), uint64(len(j.reaches)))
			for _, q := range j.reaches {
				p.put(uint64(q.r))
				p.putFloats(q.size)
			}
		}
	}
}

func (p *packer) putFloats(all ...float64) {
	for _, f := range all {
		p.put(math.Float64bits(f))
	}
}

func (p *packer) putHeld(held []*branch) {
	p.put(uint64(len(held)))
	for _, b := range held {
		p.putStep(b)
	}
}

// unpack goes on from a snapshot.
func (b *boughs) unpack(data []byte) error {
	u := &unpacker{buf: data}
	if u.get() != boughsVersion {
		return ErrSnapshot
	}
	u.counts(&b.stats)
	b.cut, b.whole, b.used, b.parts = u.below(2) == 1, u.below(2) == 1, u.get(), nil
	for n := u.length(); n > 0 && !u.bad; n-- {
		g := &bough{of: b, floor: int(u.below(1 << 31)), nested: int(u.below(1 << 31)), done: u.below(2) == 1}
		for k := u.length(); k > 0 && !u.bad; k-- {
			e := grown{thread: trace.TID(u.below(threadLimit)), choice: trace.Choice(u.below(1 << 32)), last: u.get(), added: how(u.below(uint64(revisits) + 1)),
				group: int32(u.below(1 << 31)), redo: int32(u.below(1<<31)) - 1}
			if e.added == revisits {
				e.displaced = u.step()
			}
			e.held = u.held()
			g.steps = append(g.steps, e)
		}
		g.top, g.scale = u.held(), u.scale()
		b.parts = append(b.parts, g)
	}
	if u.bad || len(u.buf) > 0 || b.whole && len(b.parts) != 1 {
		return ErrSnapshot
	}
	return nil
}

func (u *unpacker) scale() (s scale) {
	s.done, s.lifted, s.light = u.float(), u.float(), int(u.below(1<<31))
	for n := u.length(); n > 0 && !u.bad; n-- {
		r := limb{before: u.float(), weight: u.float(), floor: int(u.below(1<<31)) - 1, effort: int(u.below(effort + 1))}
		for k := u.length(); k > 0 && !u.bad; k-- {
			j := joint{before: u.float(), weight: u.float(), size: u.float(), stay: u.float(), known: u.below(2) == 1, next: int(u.below(1 << 31))}
			for m := u.length(); m > 0 && !u.bad; m-- {
				j.reaches = append(j.reaches, reach{int32(u.below(1 << 31)), u.float()})
			}
			u.bad = u.bad || j.size <= 0 && len(j.reaches) > 0
			r.joints = append(r.joints, j)
		}
		u.bad = u.bad || len(r.joints) == 0 && r.floor >= 0 || len(r.joints) > 0 && !r.joints[0].known
		s.runs = append(s.runs, r)
	}
	return s
}

func (u *unpacker) float() float64 { return math.Float64frombits(u.get()) }

func (u *unpacker) held() (held []*branch) {
	for n := u.length(); n > 0 && !u.bad; n-- {
		held = append(held, u.step())
	}
	return held
}
