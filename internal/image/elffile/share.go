package elffile

import (
	"debug/elf"
	"slices"

	"landgo/internal/abi"
)

// maxFill is the most that lies between the contents of two program headers that
// share a page.
const maxFill = 64 << 20

// Placed is a run of linked addresses, and where a loader of kernels puts it.
type Placed struct{ Addr, Physical uint64 }

// bootLoaded: a loader of kernels puts some of it elsewhere than where it is linked.
// Such a loader copies each header's bytes, so two of them may share a page. The kernel
// of a program's system maps whole pages.
func bootLoaded(loads []elf.ProgHeader) bool {
	return slices.ContainsFunc(loads, func(p elf.ProgHeader) bool { return p.Paddr != p.Vaddr && p.Paddr != 0 })
}

// joined is s and next in one, because they share a page: its bytes are those of both, and may be
// used in all ways that those of either may.
func (s *Segment) joined(next *Segment, p *elf.ProgHeader, data []byte) (Segment, bool) {
	at, ends := p.Vaddr-s.Addr, uint64(len(s.Data))
	if s.Addr+s.MemSize-abi.PageSize != next.Addr || at < s.used || at-ends > maxFill {
		return Segment{}, false
	}
	out := *s
	if p.Filesz != 0 {
		out.Data = make([]byte, at+p.Filesz)
		copy(out.Data, s.Data)
		copy(out.Data[at:], data[p.Off:p.Off+p.Filesz])
	}
	out.MemSize, out.used = next.Addr+next.MemSize-s.Addr, at+p.Memsz
	out.Read, out.Write, out.Exec = s.Read || next.Read, s.Write || next.Write, s.Exec || next.Exec
	out.Headers = false
	out.Rest = append(slices.Clone(s.Rest), Placed{p.Vaddr, p.Paddr})
	return out, true
}

// Scattered: it is to be loaded by more than one distance below its addresses, though
// it is linked in one piece. No kernel runs so that is loaded as its file says: its
// linker was misled, and its own loader goes by the addresses.
func (f *File) Scattered() bool {
	return slices.ContainsFunc(f.Segments, func(s Segment) bool {
		return slices.ContainsFunc(s.Rest, func(p Placed) bool { return p.Addr-p.Physical != s.Addr-s.Physical })
	})
}
