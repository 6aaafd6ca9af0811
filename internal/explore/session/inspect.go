package session

import (
	"fmt"
	"sort"

	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/result"
)

// Inspect says what landgo sees in the guest.
func (p *Program) Inspect() *result.Inspection {
	img := p.Image
	in := &result.Inspection{
		Guest:   p.guestFiles(),
		Kernel:  img.Kernel.String(),
		How:     p.Platform.how(img),
		Format:  format(img),
		Libc:    img.Libc().String(),
		Symbols: !img.Stripped,
	}
	if fs := p.Frames([]uint64{img.Entry}); len(fs) > 0 {
		in.Entry = fs[0]
	}
	if main, ok := img.Symbol("main"); ok {
		f := result.Innermost(p.Frames([]uint64{main.Addr}))
		in.Lines = f.File != ""
	}
	p.functions(in)
	p.points(in)
	_, trusted := p.Platform.trusted(p)
	in.Trusted = []string{trusted}
	p.unmodelled(in)
	return in
}

func format(img *image.Image) string {
	bits := map[elffile.Machine]string{elffile.X86_64: "ELF64", elffile.I386: "ELF32"}[img.Machine]
	kind := "static"
	switch pie := img.Base != 0; {
	case img.Interpreter() != nil && pie:
		kind = "dynamic, pie"
	case img.Interpreter() != nil:
		kind = "dynamic"
	case pie:
		kind = "static-pie"
	}
	return fmt.Sprintf("%s %v, %s", bits, img.Machine, kind)
}

// functions lists those whose meaning landgo knows, by meaning.
func (p *Program) functions(in *result.Inspection) {
	for addr, b := range p.roles {
		in.Functions = append(in.Functions, result.Role{
			Meaning: b.Role.String(), Function: b.Name, Address: result.Addr(addr), Trusted: p.trusts(b),
		})
	}
	sort.Slice(in.Functions, func(i, j int) bool {
		a, b := &in.Functions[i], &in.Functions[j]
		if a.Meaning != b.Meaning {
			return a.Meaning < b.Meaning
		}
		return a.Address < b.Address
	})
}

// points counts the places of each kind of preemption point.
func (p *Program) points(in *result.Inspection) {
	locks, unlocks := p.LockPlaces()
	lockNote, unlockNote := "functions that acquire", "functions that release"
	if p.NoRoles() {
		locks, unlocks = -1, -1
		lockNote = "the guest's futex calls and locked instructions"
		unlockNote = lockNote
	}
	if p.Platform.Annotated && p.NoRoles() {
		lockNote, unlockNote = "where the kernel calls landgo_locking", "where it calls landgo_unlocked"
	}
	in.Points = []result.PointPlaces{
		{Name: "yield", Places: -1, Note: "voluntary switches, as the guest makes them"},
		{Name: "lock", Places: locks, Note: lockNote},
		{Name: "unlock", Places: unlocks, Note: unlockNote},
		{Name: "atomic", Places: p.scan().atomic, Note: "locked instructions in the guest's code"},
		{Name: "sync", Places: -1, Note: "operations that other threads could notice, as a run finds them"},
		{Name: "mem", Places: -1, Note: "accesses to memory that threads share, as a run finds them"},
	}
	if p.Platform.Interrupts {
		in.Points = append(in.Points,
			result.PointPlaces{Name: "cli", Places: -1, Note: "before interrupts go off"},
			result.PointPlaces{Name: "sti", Places: -1, Note: "after they have come on"})
	}
}
