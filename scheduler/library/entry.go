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
func (l *Library) atEntry() {
	if _, named := l.image.Symbol("main"); !named || l.cfg.Tested {
		l.core.Enter()
	}
	l.machine.ForgetClockReads() // which measure how long it took, each time
	if l.begun {                 // a search that goes back to the very beginning comes here again
		return
	}
	l.begun = true
	chosen := l.chosen()
	l.image.AddFunctions(chosen)
	for _, f := range chosen {
		if profile.NeedsFloatFlags(f.Name) {
			l.roles[f.Addr] = profile.Bound{Role: profile.FloatFlags, Name: f.Name}
			l.breakAt(f.Addr, breakRole)
		}
	}
	var ahead []emu.Range
	for _, r := range static.ReadsAhead(l.image.Info) {
		ahead = append(ahead, emu.Range{Lo: r.Lo, Hi: r.Hi})
	}
	l.machine.ReadsAhead(ahead)
	if !l.cfg.Tested {
		l.breakStrings()
	}
}

// LeaveProcess implements Lives: a dynamic linker that can't load the program ends the process
// before the program begins. Constructors of glibc's libraries run before that, too: their
// call is the library's.
func (l *Library) LeaveProcess(t trace.TID) error {
	linker := l.image.Interpreter()
	if l.begun || linker == nil {
		return nil
	}
	pc := l.core.PC(t)
	if l.image.PartAt(pc) != linker {
		return nil
	}
	says := cmp.Or(lastLine(l.kernel.Output(2)), "it doesn't say why")
	return l.core.Invalid(kernel.GapStart, t, pc, "the program's dynamic linker, %s, can't load it: %s", linker.Path, says)
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// chosen are the functions that the dynamic linker has chosen.
func (l *Library) chosen() (list []elffile.Symbol) {
	names := map[uint64][]string{}
	for _, slot := range l.image.Slots() {
		if at := l.machine.Read64(slot.Addr); l.image.IsCode(at) {
			names[at] = append(names[at], slot.Names...)
		}
	}
	for at, all := range names {
		lo, hi, ok := l.image.CodeAround(at)
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
