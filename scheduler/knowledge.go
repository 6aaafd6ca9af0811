package scheduler

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler/known"
	"landgo/scheduler/witness"
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

// Seen is the record of the System's executions.
func (s *seen) Seen() *witness.Record { return &s.record }

// News implements por.Awaiter.
func (s *System) News() bool { return s.news() != nil }

// news is trace.ErrFiner if points became finer in the step that is over.
func (s *System) news() error {
	if n := s.machine.Parties(); s.sealed && n != s.parties {
		s.parties, s.finer = n, true
	}
	if !s.finer {
		return nil
	}
	s.finer = false
	s.learned++
	s.Unlist()
	return trace.ErrFiner
}
