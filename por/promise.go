package por

import (
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// promise has a footprint for each step of each thread: all that it was seen to do, in
// whatever execution. static.go says what it is for.
type promise struct {
	steps [][]footprint // by thread, and by number of the step from 0
	// rest[t][k] is the union of steps[t][k:], with the threads that they let go on.
	rest [][]footprint
	// whole widens an object to the variable that it is in (Options.Variable).
	whole func(addr uint64) (lo, size uint64)
}

// footprint is the possible effects of a step, or of several.
type footprint struct {
	relation.Event
	wakes []trace.TID
}

// step is that of step k of thread t.
func (p *promise) step(t trace.TID, k int) *footprint {
	for len(p.steps) <= int(t) {
		p.steps = append(p.steps, nil)
	}
	for len(p.steps[t]) <= k {
		p.steps[t] = append(p.steps[t], footprint{Event: relation.Event{Thread: t}})
	}
	return &p.steps[t][k]
}

// after is thread t's footprint from its step k on; nil if nothing is known.
func (p *promise) after(t trace.TID, k int) *footprint {
	if int(t) < len(p.rest) && k < len(p.rest[t]) {
		return &p.rest[t][k]
	}
	return nil
}

// conclude makes rest.
func (p *promise) conclude() {
	p.rest = make([][]footprint, len(p.steps))
	for t, steps := range p.steps {
		p.rest[t] = make([]footprint, len(steps))
		for k := len(steps) - 1; k >= 0; k-- {
			r := &p.rest[t][k]
			r.Thread = trace.TID(t)
			r.include(&steps[k].Event)
			r.wakes = append(r.wakes, steps[k].wakes...)
			if k+1 < len(steps) {
				next := &p.rest[t][k+1]
				r.include(&next.Event)
				for _, w := range next.wakes {
					r.wake(w)
				}
			}
		}
	}
}

// include adds what e does to f, and reports whether it is more than f had.
func (f *footprint) include(e *relation.Event) (more bool) {
	if e.Global && !f.Global {
		f.Global, more = true, true
	}
	if e.Wild && !f.Wild {
		f.Wild, more = true, true
	}
	for _, list := range [...][]trace.Access{e.Accesses, e.Waits} {
		for _, a := range list {
			a = trace.Access{Addr: a.Addr, Size: a.Size, Flags: a.Flags & trace.Write}
			if !slices.Contains(f.Accesses, a) {
				f.Accesses, more = append(f.Accesses, a), true
			}
		}
	}
	for _, o := range e.Ops {
		o.At, o.PC = 0, 0
		if o.Kind != trace.OpSyscall {
			o.Arg = 0 // it makes no difference to dependence
		}
		if !slices.Contains(f.Ops, o) {
			f.Ops, more = append(f.Ops, o), true
		}
	}
	return more
}

// wake adds that t may go on because of f, and reports whether that is new.
func (f *footprint) wake(t trace.TID) (more bool) {
	if slices.Contains(f.wakes, t) {
		return false
	}
	f.wakes = append(f.wakes, t)
	return true
}

// widened is e with each object widened to its variable.
func (p *promise) widened(e *relation.Event) *relation.Event {
	if p.whole == nil {
		return e
	}
	w := *e
	wide := func(list []trace.Access) (all []trace.Access) {
		for _, a := range list {
			if lo, size := p.whole(a.Addr); size > 0 {
				a.Addr, a.Size = lo, uint32(max(size, a.Addr+uint64(a.Size)-lo))
			}
			all = append(all, a)
		}
		return all
	}
	w.Accesses, w.Waits, w.Ops = wide(e.Accesses), wide(e.Waits), nil
	for _, o := range e.Ops {
		if o.Size > 0 {
			if lo, size := p.whole(o.Obj); size > 0 {
				o.Obj, o.Size = lo, uint32(max(size, o.Obj+uint64(o.Size)-lo))
			}
		}
		w.Ops = append(w.Ops, o)
	}
	return &w
}

func (p *promise) pack(out *packer) {
	putList(out, p.steps, func(steps *[]footprint) {
		putList(out, *steps, func(f *footprint) {
			out.putBool(f.Global)
			out.putBool(f.Wild)
			putList(out, f.Accesses, out.putAccess)
			putList(out, f.Ops, func(o *trace.Op) { out.put(uint64(o.Kind), uint64(o.At), uint64(o.Size), o.Obj, o.Arg) })
			putList(out, f.wakes, func(t *trace.TID) { out.put(uint64(*t)) })
		})
	})
}

func (p *promise) unpack(u *unpacker) {
	t := trace.TID(-1)
	p.steps = getList(u, func() []footprint {
		t++
		return getList(u, func() footprint {
			f := footprint{Event: relation.Event{Thread: t, Global: u.bool(), Wild: u.bool()}}
			f.Accesses, f.Ops = getList(u, u.access), getList(u, u.op)
			f.wakes = getList(u, u.thread)
			return f
		})
	})
	p.conclude()
}
