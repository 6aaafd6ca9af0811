package session

import (
	"landgo/internal/explore/config"
	"landgo/internal/image/libc"
	"landgo/por"
	"landgo/race"
)

// RaceConfig is what a detector of a mode knows of the guest.
func (s *Session) RaceConfig(m race.Mode) race.Config {
	return race.Config{Mode: m, Atomic: s.atomicity, Library: func(pc uint64) bool { return libc.Synchronises(s.Image.Info, pc) }}
}

// Buffered reports whether processors have store buffers, so that a search is to look for
// triangular races: one that runs every trace, and proves something.
func (s *Session) Buffered() bool {
	spec, err := por.ParseSpec(s.Config.Search)
	return err == nil && s.Platform.Buffered && !s.uniprocessor() && !s.Config.Buffers() && spec.Kind().Claim == por.Everything && spec.Kind().Name != config.Stateful
}

// atomicity is race.Config.Atomic, in the guest's present state.
func (s *Session) atomicity(pc, addr uint64) race.Atomicity {
	switch declared, known := s.Image.Atomic(pc, addr); {
	case declared:
		return race.Declared
	case known || !s.Image.DeclaresAtomic():
		return race.Plain
	}
	w := s.Guest.Whereabouts(addr)
	declared, certain := w.Atomic, w.Local != ""
	if w.Block.Addr != 0 {
		declared, certain = s.Image.AtomicIn(w.Block.Given.PC-1, pc, w.Block.Size, addr-w.Block.Addr)
	}
	switch {
	case !certain:
		return race.Perhaps
	case declared:
		return race.Declared
	}
	return race.Plain
}
