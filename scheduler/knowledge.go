package scheduler

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler/known"
)

// Knowledge has the facts that a System has learned, as plain data. With it a System of the same guest and
// configuration has the same threads' numbers and the same preemption points.
type Knowledge struct {
	Names   []string // threads' path names, by TID
	Sharing []emu.SharingPage
	Windows []emu.Window // of the guest's own threads, which sharing bytes number
	known.Facts
}

// Knowledge is all that the System has learned.
func (s *System) Knowledge() *Knowledge {
	return &Knowledge{Names: slices.Clone(s.names.All()), Sharing: s.machine.SharingPages(), Windows: s.machine.Windows(), Facts: s.known.Clone()}
}

// Known has the facts that the System has learned, to be added to.
func (s *learning) Known() *known.Facts { return &s.known }

// Noted counts that something was learned that doesn't make points finer.
func (s *seen) Noted() { s.learned++ }

// Learn adds what another System of the same guest has learned. It reports
// whether the two together have finer preemption points than this one had:
// then what it ran before is void.
func (s *System) Learn(k *Knowledge) (news bool, err error) {
	for _, w := range s.twins.beside {
		if _, err := w.learn(k); err != nil {
			return false, err
		}
	}
	return s.learn(k)
}

func (s *System) learn(k *Knowledge) (news bool, err error) {
	if err := s.names.Learn(k.Names); err != nil {
		return false, err
	}
	s.machine.LearnWindows(k.Windows)
	if news, err = s.machine.LearnSharing(k.Sharing); err != nil {
		return news, err
	}
	if k.Native && !s.known.Native {
		s.lib.Distrust()
		news = true
	}
	if k.Jumps {
		s.machine.DeclareAllShared(true)
	}
	return s.known.Merge(&k.Facts) || news, nil
}

// Witnessed has a System's observations of its guest: plain data.
type Witnessed struct {
	Calls        []string // kernel calls
	Instructions uint64   // run in all
	Sightings    []Sighting
	Met          Met

	places map[place]int // of Sightings, once Add was called
}

// Sighting has the facts on the accesses of one place, see sightings.
type Sighting struct {
	Thread trace.TID
	Access trace.Access
	Locks  []uint64
	Point  bool
}

// Witnessed is all that the System has seen.
func (s *seen) Witnessed() *Witnessed {
	return &Witnessed{Calls: s.Calls(), Instructions: s.instructions, Sightings: s.sightings.list(), Met: s.Met()}
}

func (g sightings) list() (all []Sighting) {
	for p, s := range g {
		all = append(all, Sighting{p.thread, s.access, append([]uint64(nil), s.locks...), s.point})
	}
	return all
}

// TakeWitnessed is all that the System has seen since it was last taken.
func (s *seen) TakeWitnessed() *Witnessed {
	w := s.Witnessed()
	clear(s.calls)
	s.lastCall = ""
	clear(s.sightings)
	s.met = Met{}
	s.instructions = 0
	return w
}

// Witness adds what another System of the same guest has seen.
func (s *seen) Witness(w *Witnessed) {
	for _, c := range w.Calls {
		s.calls[c] = true
	}
	s.instructions += w.Instructions
	s.met.add(w.Met)
	for i := range w.Sightings {
		o := &w.Sightings[i]
		s.sightings.add(o.place(), o)
	}
}

// Add adds what yet another System has seen: as good as Witness of both.
func (w *Witnessed) Add(o *Witnessed) {
	if w.places == nil {
		w.places = map[place]int{}
		for i := range w.Sightings {
			w.places[w.Sightings[i].place()] = i
		}
	}
	for _, c := range o.Calls {
		if !slices.Contains(w.Calls, c) {
			w.Calls = append(w.Calls, c)
		}
	}
	w.Instructions += o.Instructions
	w.Met.add(o.Met)
	for i := range o.Sightings {
		n := o.Sightings[i]
		k, ok := w.places[n.place()]
		if !ok {
			w.places[n.place()] = len(w.Sightings)
			n.Locks = slices.Clone(n.Locks)
			w.Sightings = append(w.Sightings, n)
			continue
		}
		s := &w.Sightings[k]
		s.Access.Flags |= n.Access.Flags & trace.Write
		s.Point = s.Point && n.Point
		s.Locks = slices.DeleteFunc(s.Locks, func(l uint64) bool { return !slices.Contains(n.Locks, l) })
	}
}

func (g *Sighting) place() place { return place{g.Thread, g.Access.PC, g.Access.Addr, g.Access.Size} }
