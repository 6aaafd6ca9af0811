package spins

import (
	"maps"

	"landgo/internal/trace"
)

// A load and the exchange behind it: can they be one step? The conditions are in scheduler/hint.go.

// Hint is what becomes of a thread's load, by the value that it finds.
type Hint struct {
	Good bool
	On   map[uint64]bool // it leads to an exchange
	Vain map[uint64]bool // the thread comes back to a try with that, for ever
	// Looks are the accesses of loads and of exchanges that fail.
	Looks Looks
	Left  HintLeft
}

// HintLeft are bytes of a thread's own stack that may depend on how often the exchange has failed. Before and Behind
// are those before the load and behind the exchange. On and Off are those behind a load that leads to an exchange,
// and behind one that leads elsewhere. Regs are registers that only pushes read.
type HintLeft struct {
	Before, On, Off, Behind Apart
	Regs                    trace.RegSet
}

func (l *HintLeft) len() int { return len(l.Before) + len(l.On) + len(l.Off) + len(l.Behind) }

// HintEnd is how a thread stands behind its load, or behind the exchange.
type HintEnd struct {
	OK     bool
	Value  uint64 // of the word
	Access trace.Access
	Rests  bool // it has yielded or slept, and no more
	Before bool // it is about to exchange it, and has done nothing else
	Poise  Poise
}

// Hinted is a thread that stands before such a load.
type Hinted interface {
	// Load has the load find v. Bytes before the load, and behind one that leads to an exchange, are watched from
	// then on. Back takes it back.
	Load(v uint64, before, on Apart) *HintEnd
	Back()
	// Exchange has the exchange find w, and takes that back.
	Exchange(w uint64) *HintEnd
	// Told reports whether a watched byte was read since it was asked before.
	Told() bool
	// Owns reports whether a byte is the thread's own, where it stands.
	Owns(at uint64) bool
}

// mostHintSurveys is how often the bytes that may differ are added to.
const mostHintSurveys = 3

// SurveyHint says what becomes of a thread's load and the exchange behind it, with each two of some values. It stands as
// here says. What may differ is found out first, and then watched, while all is tried again.
func SurveyHint(l Hinted, here Poise, values []uint64) *Hint {
	s := hintSurvey{Hinted: l, here: here, left: HintLeft{Apart{}, Apart{}, Apart{}, Apart{}, 0}}
	for range mostHintSurveys {
		n := s.left.len()
		s.before, s.joins = maps.Clone(s.left.Before), maps.Clone(s.left.On)
		l.Told() // from here on
		on, vain, ok := s.tryAll(values)
		switch {
		case !ok || l.Told():
			return &Hint{}
		case s.left.len() == n:
			return &Hint{true, on, vain, s.looks, s.left}
		}
	}
	return &Hint{}
}

// hintSurvey is one under way.
type hintSurvey struct {
	Hinted
	here          Poise
	looks         Looks
	left          HintLeft
	before, joins Apart // what is watched
}

// tryAll tries each two values.
func (s *hintSurvey) tryAll(values []uint64) (on, vain map[uint64]bool, ok bool) {
	loads, joined := map[uint64]*HintEnd{}, map[uint64]*HintEnd{}
	on, vain = map[uint64]bool{}, map[uint64]bool{}
	for _, v := range values {
		e := s.Load(v, s.before, s.joins)
		if loads[v] = e; e.OK {
			s.looks.Note(&e.Access)
		}
		var j *HintEnd
		if e.Before {
			j = s.Exchange(v)
			joined[v] = j
		}
		s.Back()
		if on[v] = e.Before; !e.OK || e.Before && (e.Value != v || !j.OK) {
			return nil, nil, false
		}
		if e.Before {
			vain[v] = j.Value == v && !j.Rests && (s.same(s.left.On, &j.Poise, &e.Poise) || s.same(s.left.Before, &j.Poise, &s.here))
			if !vain[v] && j.Value == v && s.same(Apart{}, &j.Poise, &s.here) {
				return nil, nil, false // it yields on its way
			}
		} else {
			vain[v] = e.Value == v && !e.Rests && s.same(s.left.Before, &e.Poise, &s.here)
		}
	}
	for _, v := range values {
		if !on[v] {
			continue
		}
		ok = true
		s.Load(v, s.before, s.joins)
		for _, w := range values {
			if w == v || !ok {
				continue
			}
			e := s.Exchange(w)
			if e.OK && e.Value == w {
				s.looks.Note(&e.Access)
			}
			elsewhere := s.left.Off
			if on[w] {
				elsewhere = s.left.On
			}
			ok = e.OK && (e.Value == w && s.same(s.left.Before, &e.Poise, &s.here) || e.Value == loads[w].Value && s.stands(elsewhere, &e.Poise, &loads[w].Poise, !on[w]) ||
				on[w] && e.Value == joined[w].Value && s.stands(s.left.Behind, &e.Poise, &joined[w].Poise, true))
		}
		if s.Back(); !ok {
			return nil, nil, false
		}
	}
	return on, vain, true
}

// same reports whether a thread stands in the same way, but for bytes of its own. It adds these.
func (s *hintSurvey) same(apart Apart, p, q *Poise) bool { return s.stands(apart, p, q, false) }

// stands is same; but with pushed, registers that only pushes read may differ. They are added.
func (s *hintSurvey) stands(apart Apart, p, q *Poise, pushed bool) bool {
	differ, regs := Apart{}, p.OtherPushed(q)
	if !differ.Same(p, q, s.Owns) || regs != 0 && !pushed {
		return false
	}
	maps.Copy(apart, differ)
	s.left.Regs |= regs
	return true
}
