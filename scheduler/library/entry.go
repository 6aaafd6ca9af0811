package library

import (
	"cmp"
	"slices"
	"strings"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/kernel"
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
	s.machine.ForgetClockReads() // which measure how long it took, each time
	if s.begun {                 // a search that goes back to the very beginning comes here again
		return
	}
	s.begun = true
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

// LeaveProcess implements Lives: a dynamic linker that can't load the program ends the process
// before the program begins. Constructors of glibc's libraries run before that, too: their
// call is the library's.
func (s *Library) LeaveProcess(t trace.TID) error {
	linker, pc := s.image.Interpreter(), s.core.PC(t)
	if s.begun || linker == nil || s.image.PartAt(pc) != linker {
		return nil
	}
	says := cmp.Or(lastLine(s.kernel.Output(2)), "it doesn't say why")
	return s.core.Invalid(kernel.GapStart, t, pc, "the program's dynamic linker, %s, can't load it: %s", linker.Path, says)
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
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
