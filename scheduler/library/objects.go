package library

import (
	"sort"

	"landgo/internal/trace"
)

// objectOf finds or makes the object of a kind at an address. It is a copy, to look at.
func (l *models) objectOf(addr uint64, kind objectKind) object {
	o, ok := l.objects.Get(addr)
	switch {
	case !ok:
		l.core.ObjectChanges(addr)
		e := objectEdit{l.objects.Make(addr, object{addr: addr, kind: kind, owner: trace.NoThread})}
		l.adopt(e)
		l.guard(e.object)
		return *e.object
	case o.kind != kind || o.forgotten || o.destroyed && l.machine.Read32(addr) != destroyedMark || l.rewritten(&o):
		// Memory used again for another object, without an init call.
		torn := ""
		if l.shapes != nil && !o.destroyed {
			torn = l.inUse(&o)
		}
		e := l.change(addr)
		e.renew(kind)
		e.torn = torn
		l.adopt(e)
		return *e.object
	}
	return o
}

// initialise makes a new object as an init function does.
func (l *models) initialise(o objectEdit) {
	o.renew(o.kind)
	l.clear(o)
}

func (l *models) destroy(o objectEdit) {
	o.destroyed = true
	l.machine.Write32(o.addr, destroyedMark)
}

// ObjectBytes implements Memory.
func (l *models) ObjectBytes() [][2]uint64 {
	var out [][2]uint64
	for a, o := range l.objects.All() {
		out = append(out, [2]uint64{a, a + uint64(l.sizes[o.kind])})
	}
	sort.Slice(out, func(i, j int) bool { return out[i][0] < out[j][0] })
	return out
}
