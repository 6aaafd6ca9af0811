package witness

import (
	"maps"
	"slices"

	"landgo/internal/trace"
)

// Record collects facts that a System's executions have shown. It only grows, until it is taken.
type Record struct {
	Met Met
	// Instructions counts the guest's instructions that were run, what was taken back included.
	Instructions uint64

	calls    map[string]bool // kernel calls met
	lastCall string          // of these
	sights   Sights
}

// NewRecord is an empty one.
func NewRecord() Record { return Record{calls: map[string]bool{}, sights: Sights{}} }

// Call notes a call of the kernel. Mostly it is the same as the one before.
func (r *Record) Call(name string) {
	if name != r.lastCall {
		r.calls[name], r.lastCall = true, name
	}
}

// Calls names the kernel calls met so far, in alphabetical order.
func (r *Record) Calls() []string { return slices.Sorted(maps.Keys(r.calls)) }

// Look has the record keep in g what it sights from now on, in new ones if nil, and returns them.
func (r *Record) Look(g Sights) Sights {
	if g == nil {
		g = Sights{}
	}
	r.sights = g
	return g
}

// Sight is Sights.Sight.
func (r *Record) Sight(t trace.TID, a *trace.Access, holds []uint64, point bool) {
	r.sights.Sight(t, a, holds, point)
}

// Unexamined is Sights.Unexamined.
func (r *Record) Unexamined() []Pair { return r.sights.Unexamined() }

// Statement is the record as plain data, which goes from one System of a guest to another.
type Statement struct {
	Calls        []string // kernel calls
	Instructions uint64   // run in all
	Sightings    []Sighting
	Met          Met

	places map[place]int // of Sightings, once Add was called
}

// Statement is all that is on record.
func (r *Record) Statement() *Statement {
	return &Statement{Calls: r.Calls(), Instructions: r.Instructions, Sightings: r.sights.List(), Met: r.Met.Clone()}
}

// Take is all that was put on record since it was last taken.
func (r *Record) Take() *Statement {
	s := r.Statement()
	clear(r.calls)
	r.lastCall = ""
	clear(r.sights)
	r.Met = Met{}
	r.Instructions = 0
	return s
}

// Hear puts on record what another System of the same guest states.
func (r *Record) Hear(s *Statement) {
	for _, c := range s.Calls {
		r.calls[c] = true
	}
	r.Instructions += s.Instructions
	r.Met.Add(&s.Met)
	for i := range s.Sightings {
		r.sights.add(&s.Sightings[i])
	}
}

// Add adds what yet another System states: as good as to hear both.
func (s *Statement) Add(o *Statement) {
	if s.places == nil {
		s.places = map[place]int{}
		for i := range s.Sightings {
			s.places[s.Sightings[i].place()] = i
		}
	}
	for _, c := range o.Calls {
		if !slices.Contains(s.Calls, c) {
			s.Calls = append(s.Calls, c)
		}
	}
	s.Instructions += o.Instructions
	s.Met.Add(&o.Met)
	for i := range o.Sightings {
		n := &o.Sightings[i]
		if k, ok := s.places[n.place()]; ok {
			s.Sightings[k].join(n.Access.Flags, n.Locks, n.Point)
			continue
		}
		s.places[n.place()] = len(s.Sightings)
		s.Sightings = append(s.Sightings, n.clone())
	}
}
