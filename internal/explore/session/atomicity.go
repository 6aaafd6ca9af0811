package session

import (
	"landgo/internal/explore/config"
	"landgo/internal/image/libc"
	"landgo/por"
	"landgo/race"
)

// RaceConfig is a detector's configuration for a mode and the guest.
func (s *Session) RaceConfig(m race.Mode) race.Config {
	cfg := race.Config{Mode: m, Atomic: s.atomicity, Library: s.synchronises}
	if s.Config.Buffers() && s.Plain != nil {
		cfg.Held = s.Plain.Holds
	}
	return cfg
}

// synchronises is race.Config.Library. If a C library is a file of its own, the functions
// that it doesn't give out have no names, or only where its debug information is
// installed. Their accesses to the library's own memory are its own business.
func (s *Session) synchronises(pc, addr uint64) bool {
	if libc.Synchronises(s.Image.Info, pc) {
		return true
	}
	if !libc.Inner(s.Image.Info, pc) {
		return false
	}
	if s.Image.File.PartAt(addr) != nil {
		return s.Image.OfLibc(addr)
	}
	w := s.Guest.Whereabouts(addr)
	return w.Local == "" && (w.Block.Addr == 0 || w.Block.Library || s.Image.OfLibc(w.Block.Given.PC-1))
}

// OnThreads reports whether an instruction is of a function of the C library's on threads and
// locks.
func (s *Session) OnThreads(pc uint64) bool { return libc.Synchronises(s.Image.Info, pc) }

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
