package travel

import (
	"landgo/emu"
	"landgo/internal/trace"
)

// trail is the record of a piece's ticks.
type trail struct {
	pcs      []uint64
	accesses []access
	// resumed: the first tick is the rest of an instruction that was begun before. halved:
	// the last is the beginning of one.
	resumed, halved bool
	// flush: it is the step of a store buffer, which is one tick and no instruction.
	flush bool
}

// access is one of a tick.
type access struct {
	addr  uint64
	tick  uint32
	size  uint32
	write bool
}

func (t *trail) size() uint64 { return uint64(len(t.pcs))*8 + uint64(len(t.accesses))*24 }

// viewer makes the trail of a step under way. It implements scheduler.Viewer.
type viewer struct {
	trail
	machine *emu.Machine
	thread  trace.TID
	from    uint64 // its instructions before
	done    uint64 // ticks
	journal uint64 // up to which its entries are taken in
}

// view has the viewer look on.
func (t *Travel) view(tid trace.TID, from uint64) *viewer {
	m := t.s.Machine
	m.ForgetTold()
	v := &viewer{machine: m, thread: tid, from: from, journal: m.Journal()}
	v.flush = t.s.IsBuffer(tid)
	v.at(0, t.s.Guest.PC(t.owner(tid)))
	t.s.Plain.View(v)
	return v
}

// end ends that.
func (v *viewer) end(t *Travel) *trail {
	t.s.Plain.View(nil)
	v.stores(v.machine.Journal())
	return &v.trail
}

// at notes which instruction a tick is.
func (v *viewer) at(tick, pc uint64) {
	for uint64(len(v.pcs)) <= tick {
		v.pcs = append(v.pcs, pc) // of one that landgo carries out, that of the one before it
	}
	v.pcs[tick] = pc
}

// Ran implements scheduler.Viewer.
func (v *viewer) Ran(t trace.TID, insns, journal, at uint64) {
	if t == v.thread && insns >= v.from {
		v.done = insns - v.from
	}
	v.stores(journal)
	begun := v.done
	for _, e := range v.machine.Told() {
		tick := begun
		if t == v.thread {
			tick += uint64(e.Insn) - 1
		}
		switch {
		case e.What != emu.ToldInsn:
			v.accesses = append(v.accesses, access{e.Addr, uint32(tick), uint32(e.Size), e.What == emu.ToldWrite})
		case t == v.thread:
			v.at(tick, e.Addr)
			v.done = tick + 1
		}
	}
	v.machine.ForgetTold()
	v.journal = v.machine.Journal()
	if t == v.thread {
		v.at(v.done, at)
	}
}

// Moved implements scheduler.Viewer.
func (v *viewer) Moved(from, to uint64) {
	v.stores(from)
	v.journal = to
}

// stores takes in what landgo itself has stored for the thread: in the call that it has
// carried out last.
func (v *viewer) stores(until uint64) {
	if until <= v.journal {
		return
	}
	tick := max(v.done, 1) - 1
	left := until - v.journal
	v.machine.Changes(v.journal, func(addr, size uint64) bool {
		if size <= 1<<16 {
			v.accesses = append(v.accesses, access{addr, uint32(tick), uint32(size), true})
		}
		left--
		return left > 0
	})
	v.journal = until
}

// fitted is the trail of a piece.
func (t *trail) fitted(p *piece) *trail {
	for uint64(len(t.pcs)) < p.ticks {
		t.pcs = append(t.pcs, t.pcs[len(t.pcs)-1])
	}
	t.pcs = t.pcs[:p.ticks]
	for i := range t.accesses {
		if a := &t.accesses[i]; uint64(a.tick) >= p.ticks {
			a.tick = uint32(max(p.ticks, 1) - 1)
		}
	}
	if p.ticks == 0 {
		t.accesses = nil
	}
	t.resumed, t.halved = p.from.Part > 0, p.to.Part > 0
	return t
}

// continues reports whether a tick goes on with an instruction that was begun before.
func (t *trail) continues(tick uint64) bool { return tick == 0 && t.resumed }

// completes reports whether an instruction is over with a tick.
func (t *trail) completes(tick uint64) bool { return !t.halved || tick+1 < uint64(len(t.pcs)) }

// trails are those of pieces. Trails beyond keepTrails are made again when they are
// asked for.
type trails struct {
	of    map[int]*trail
	order []int
	bytes uint64
}

const keepTrails = 256 << 20

func (k *trails) keep(n int, t *trail) {
	k.of[n] = t
	k.order = append(k.order, n)
	k.bytes += t.size()
	for k.bytes > keepTrails && len(k.order) > 1 {
		old := k.order[0]
		k.order = k.order[1:]
		k.bytes -= k.of[old].size()
		delete(k.of, old)
	}
}

// trail is that of a piece.
func (t *Travel) trail(n int) (*trail, error) {
	if x := t.trails.of[n]; x != nil {
		return x, nil
	}
	if err := t.toPiece(n); err != nil {
		return nil, err
	}
	p := &t.pieces[n]
	v := t.view(p.step.Thread, p.from.Insns)
	err := t.again(n)
	x := v.end(t).fitted(p)
	if err != nil {
		return nil, err
	}
	t.live = n + 1
	t.trails.keep(n, x)
	return x, nil
}
