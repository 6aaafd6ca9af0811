package scheduler

import (
	"errors"
	"slices"
	"sort"
	"strings"

	"landgo/emu"
	"landgo/trace"
)

// Knowledge is what a System has learned for good: plain data, with which a
// System of the same guest and configuration has the same threads' numbers and
// the same preemption points.
type Knowledge struct {
	Names     []string // threads' path names, by TID
	Sharing   []emu.SharingPage
	Contended []uint64 // mutexes, see lockmerge.go
	Merged    []uint64
	Meeting   []uint64 // calls, see System.meeting
	Signalled []uint64 // threads, see interrupt.go
	Native    bool     // see distrust.go
	Exits     bool     // see System.watchedExits
	Last      bool     // see System.lastMatters
	Ticked    []Ticked // of a kernel, see steer.Kernel
	Probes    bool     // see steer
	Unsteady  bool     // see steer
	Unranked  bool     // see steer
	// Oversleeps: see steer.
	Oversleeps bool
	// HeavyTails, TailWords: see steer.
	HeavyTails []bool
	TailWords  []TailWord
}

// Knowledge is all that the System has learned.
func (s *System) Knowledge() *Knowledge {
	return &Knowledge{
		Names: append([]string(nil), s.names.paths...), Sharing: s.machine.SharingPages(),
		Contended: addresses(s.contended), Merged: addresses(s.merged), Meeting: addresses(s.meeting), Signalled: addresses(s.signalled), Native: s.native, Exits: s.watchedExits, Last: s.lastMatters,
	}
}

func addresses(set map[uint64]bool) (list []uint64) {
	for a := range set {
		list = append(list, a)
	}
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	return list
}

// errNames is knowledge from a System that numbers threads in another way.
var errNames = errors.New("threads are numbered in another way")

// Learn adds what another System of the same guest has learned. It reports
// whether the two together have finer preemption points than this one had:
// then what it ran before is void.
func (s *System) Learn(k *Knowledge) (news bool, err error) {
	for _, w := range s.twins {
		if _, err := w.learn(k); err != nil {
			return false, err
		}
	}
	return s.learn(k)
}

func (s *System) learn(k *Knowledge) (news bool, err error) {
	for i, name := range k.Names {
		switch {
		case i >= len(s.names.paths):
			if err := s.names.append(name); err != nil {
				return news, err
			}
		case s.names.paths[i] != name:
			return news, errNames
		}
	}
	if news, err = s.machine.LearnSharing(k.Sharing); err != nil {
		return news, err
	}
	if k.Native && !s.native {
		s.distrust()
		news = true
	}
	if k.Exits && !s.watchedExits {
		s.watchedExits, news = true, true
	}
	if k.Last && !s.lastMatters {
		s.lastMatters, news = true, true
	}
	for _, m := range k.Contended {
		news = news || !s.contended[m]
		s.contended[m] = true
	}
	for _, m := range k.Meeting {
		news = news || !s.meeting[m]
		s.meeting[m] = true
	}
	for _, t := range k.Signalled {
		news = news || !s.signalled[t]
		s.signalled[t] = true
	}
	for _, m := range k.Merged {
		s.merged[m] = true
	}
	return news, nil
}

// Seal makes everything that is learned from now on worth a new start
// (trace.ErrFiner), a new thread's number too: others go by what was known.
func (s *System) Seal(on bool) {
	s.sealed = on
	for _, w := range s.twins {
		w.sealed = on
	}
}

// Witnessed is what a System has seen of its guest: plain data.
type Witnessed struct {
	Calls        []string // kernel calls
	Instructions uint64   // run in all
	Sightings    []Sighting
	Met          Met

	places map[place]int // of Sightings, once Add was called
}

// Sighting is what is known of the accesses of one place, see sightings.
type Sighting struct {
	Thread trace.TID
	Access trace.Access
	Locks  []uint64
	Point  bool
}

// Witnessed is all that the System has seen.
func (s *System) Witnessed() *Witnessed {
	return &Witnessed{Calls: s.Calls(), Instructions: s.instructions, Sightings: s.sightings.list(), Met: s.Met()}
}

func (g sightings) list() (all []Sighting) {
	for p, s := range g {
		all = append(all, Sighting{p.thread, s.access, append([]uint64(nil), s.locks...), s.point})
	}
	return all
}

// TakeWitnessed is all that the System has seen since it was last taken.
func (s *System) TakeWitnessed() *Witnessed {
	w := s.Witnessed()
	clear(s.calls)
	clear(s.sightings)
	s.met = Met{}
	s.instructions = 0
	return w
}

// Witness adds what another System of the same guest has seen.
func (s *System) Witness(w *Witnessed) {
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

// Add adds what another System has learned with the same thread numbers: as
// good as Learn of both.
func (k *Knowledge) Add(o *Knowledge) {
	if len(o.Names) > len(k.Names) {
		k.Names = o.Names
	}
	k.Sharing = append(k.Sharing, o.Sharing...)
	k.Contended = append(k.Contended, o.Contended...)
	k.Merged = append(k.Merged, o.Merged...)
	k.Meeting = append(k.Meeting, o.Meeting...)
	k.Native = k.Native || o.Native
	k.Exits = k.Exits || o.Exits
	k.Last = k.Last || o.Last
	k.Ticked = append(k.Ticked, o.Ticked...)
	k.Probes = k.Probes || o.Probes
	k.Unsteady = k.Unsteady || o.Unsteady
	k.Unranked = k.Unranked || o.Unranked
	k.TailWords = append(k.TailWords, o.TailWords...)
	for len(k.HeavyTails) < len(o.HeavyTails) {
		k.HeavyTails = append(k.HeavyTails, false)
	}
	for i, heavy := range o.HeavyTails {
		k.HeavyTails[i] = k.HeavyTails[i] || heavy
	}
}

// append adds a thread that another System has met as its next.
func (n *names) append(path string) error {
	i := strings.LastIndexByte(path, '.')
	if i < 0 || !trace.IsThreadName(path) {
		return errNames
	}
	parent, ok := n.lookup(path[:i])
	if !ok {
		return errNames
	}
	var ordinal uint64
	for _, c := range path[i+1:] {
		ordinal = ordinal*10 + uint64(c-'0')
	}
	t, err := n.intern(parent, ordinal)
	if err == nil && int(t) != len(n.paths)-1 {
		err = errNames
	}
	return err
}

// Ticked is what ticks were seen to do to 8 bytes of memory, a bit for each byte.
type Ticked struct {
	At            uint64 // their address / 8
	Reads, Writes uint8
}

// TailWord is 8 bytes that the tail of a new thread pops or pushes, by address / 8.
type TailWord struct {
	Thread trace.TID
	At     uint64
}
