package library

import (
	"cmp"
	"slices"
	"strings"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
)

// Where the dynamic linker is done, and the program itself begins. The dynamic linker has
// chosen where a library has several for one function (elffile.Slot): only now is it
// known which code are the C library's string functions. All that it did before is one
// piece, without a preemption point.

// atEntry takes in what the dynamic linker has done.
func (s *Library) atEntry() {
	if _, named := s.image.Symbol("main"); !named || s.cfg.Tested {
		s.core.Enter()
	}
	if s.begun { // a search that goes back to the very beginning comes here again
		return
	}
	s.begun = true
	s.machine.ForgetClockReads() // which measure how long it took
	chosen := s.chosen()
	s.image.AddFunctions(chosen)
	for _, f := range chosen {
		if profile.NeedsFloatFlags(f.Name) {
			s.roles[f.Addr] = profile.Bound{Role: profile.FloatFlags, Name: f.Name}
			s.breakAt(f.Addr, breakRole)
		}
	}
	var ahead []emu.Range
	for _, r := range static.ReadsAhead(s.image.Info) {
		ahead = append(ahead, emu.Range{Lo: r.Lo, Hi: r.Hi})
	}
	s.machine.ReadsAhead(ahead)
	if !s.cfg.Tested {
		s.breakStrings()
	}
}

// chosen are the functions that the dynamic linker has chosen.
func (s *Library) chosen() (list []elffile.Symbol) {
	names := map[uint64][]string{}
	for _, slot := range s.image.Slots() {
		if at := s.machine.Read64(slot.Addr); s.image.IsCode(at) {
			names[at] = append(names[at], slot.Names...)
		}
	}
	for at, all := range names {
		lo, hi, ok := s.image.CodeAround(at)
		if !ok || lo > at {
			continue
		}
		slices.SortFunc(all, func(a, b string) int {
			return cmp.Or(cmp.Compare(unusual(a), unusual(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		})
		list = append(list, elffile.Symbol{Name: all[0], Addr: at, Size: hi - at, Kind: elffile.Func})
	}
	slices.SortFunc(list, func(a, b elffile.Symbol) int { return cmp.Compare(a.Addr, b.Addr) })
	return list
}

// unusual orders the names of one function: first those by which it is known what the
// function reads.
func unusual(name string) int {
	if strings.HasPrefix(name, "str") || strings.HasPrefix(name, "mem") {
		return 0
	}
	return 1
}
