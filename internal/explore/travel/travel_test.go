package travel

import (
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// roster has threads that are names, for a run that needs no machine.
type roster struct {
	session.Follower
	session.Roster
	session.Explainer
	names []string // by TID
	held  map[trace.TID][]string
	state map[trace.TID]string
}

func (r *roster) Name(t trace.TID) string      { return r.names[t] }
func (r *roster) Held(t trace.TID) []string    { return r.held[t] }
func (r *roster) StateText(t trace.TID) string { return r.state[t] }
func (r *roster) Starts() (all []scheduler.Start) {
	for t := range r.names {
		all = append(all, scheduler.Start{Thread: trace.TID(t)})
	}
	return all
}

func (r *roster) Lookup(name string) (trace.TID, bool) {
	for t, n := range r.names {
		if n == name {
			return trace.TID(t), true
		}
	}
	return 0, false
}

// made is a run at its end, of four pieces with eight ticks. Thread 0 stores a byte at 0x300 in tick 0,
// 4 bytes at 0x100 in tick 1, and 8 there in tick 6. Thread 0.1 loads 2 bytes of the first four in
// tick 3. Its turn ends at tick 5 by a preemption.
func made() *Travel {
	r := &roster{names: []string{"0", "0.1"}}
	s := &session.Session{Program: session.Program{Platform: &session.Platform{}}, Guest: &session.Guest{
		Replayed: session.Replayed{Follower: r}, Told: session.Told{Roster: r, Explainer: r},
	}}
	t := &Travel{s: s, roots: map[trace.TID]string{1: "add"}, trails: trails{of: map[int]*trail{}}, marks: []marked{{}}}
	add := func(tid trace.TID, preemption bool, pcs []uint64, accesses ...access) {
		from := uint64(0)
		for i := range t.pieces {
			if p := &t.pieces[i]; p.step.Thread == tid {
				from = p.to.Insns
			}
		}
		p := piece{step: por.PathStep{Thread: tid, Preemption: preemption}, base: t.total, ticks: uint64(len(pcs)),
			from: scheduler.Position{Insns: from}, to: scheduler.Position{Insns: from + uint64(len(pcs))}}
		t.trails.keep(len(t.pieces), (&trail{pcs: pcs, accesses: accesses}).fitted(&p))
		t.pieces = append(t.pieces, p)
		t.total += p.ticks
	}
	add(0, false, []uint64{0x10, 0x11, 0x12}, access{addr: 0x300, tick: 0, size: 1, write: true}, access{addr: 0x100, tick: 1, size: 4, write: true})
	add(1, false, []uint64{0x20, 0x21}, access{addr: 0x102, tick: 0, size: 2})
	add(0, true, []uint64{0x13, 0x14}, access{addr: 0x100, tick: 1, size: 8, write: true})
	add(0, false, []uint64{0x15})
	t.sched = trace.Schedule{Check: 7, Segments: []trace.Segment{{Thread: "0", Until: 3}, {Thread: "0.1", Until: 2}, {Thread: "0", Until: 6}}}
	t.stands(t.total)
	return t
}

// stands has the run stand at the beginning of a piece, or at the end, with no machine to be brought
// there.
func (t *Travel) stands(at uint64) {
	t.stand(at)
	t.live, t.within = t.pieceAt(at), false
}
