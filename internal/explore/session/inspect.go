package session

import (
	"fmt"
	"sort"

	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/result"
	"landgo/internal/trace"
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
	at := func(kind trace.Points, places int, note string) {
		in.Points = append(in.Points, result.PointPlaces{Name: kind.Name(), Places: places, Note: note})
	}
	at(trace.PointYield, -1, "voluntary switches, as the guest makes them")
	at(trace.PointLock, locks, lockNote)
	at(trace.PointUnlock, unlocks, unlockNote)
	at(trace.PointAtomic, p.scan().atomic, "locked instructions in the guest's code")
	at(trace.SyncPoints, -1, "operations that other threads could notice, as a run finds them")
	at(trace.MemPoints, -1, "accesses to memory that threads share, as a run finds them")
	if p.Platform.Interrupts {
		at(trace.PointCLI, -1, "before interrupts go off")
		at(trace.PointSTI, -1, "after they have come on")
	}
}
