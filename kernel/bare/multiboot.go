package bare

import (
	"slices"

	"landgo/internal/image/elffile"
	"landgo/kernel"
)

// checkHeader refuses requests of a kernel's multiboot header that landgo
// doesn't fulfil.
//
// A loader takes addresses in the header in place of those of the ELF file, and
// reads the file as one piece then. Landgo loads by the ELF file, so the two have to
// say the same of where the kernel's bytes go. The kernel begins where its header says: its ELF
// file's entry may be that of another loader of its own.
func (b *Board) checkHeader() error {
	h := b.img.Multiboot()
	if h == nil {
		return nil
	}
	const known = elffile.MultibootAligned | elffile.MultibootMemory | elffile.MultibootVideo
	switch unknown := h.Flags & 0xffff &^ known; {
	case unknown != 0:
		return kernel.Errorf(kernel.GapLayout, "the multiboot header asks for things that no loader has (flags %#x)", unknown)
	case h.Flags&elffile.MultibootVideo != 0:
		return kernel.Errorf(kernel.GapDevice, "the multiboot header asks for a video mode (flag 2); landgo has the text screen")
	case h.Flags&elffile.MultibootAddresses == 0:
		return nil
	}
	at := b.img.Physical(h.At)
	switch {
	case !b.coded(h.Entry):
		return kernel.Errorf(kernel.GapLayout, "the multiboot header has the kernel begin at %#x, where the ELF file has no code", h.Entry)
	case h.Header != at:
		return kernel.Errorf(kernel.GapLayout, "the multiboot header says that it is at %#x, the ELF file puts it at %#x", h.Header, at)
	}
	end := h.LoadEnd
	for i := range b.img.Segments {
		s := &b.img.Segments[i]
		lo := b.img.Physical(s.Addr)
		if hi := lo + uint64(len(s.Data)); len(s.Data) > 0 && (lo < h.Load || end != 0 && hi > end) {
			return kernel.Errorf(kernel.GapLayout, "the multiboot header has %#x to %#x loaded, the ELF file has a segment at %#x to %#x", h.Load, end, lo, hi)
		}
	}
	return nil
}

// coded reports whether the kernel has code at a place in memory.
func (b *Board) coded(at uint64) bool {
	return slices.ContainsFunc(b.img.Code, func(r elffile.Range) bool {
		return at >= b.img.Physical(r.Lo) && at < b.img.Physical(r.Hi-1)+1
	})
}

// entry is where a multiboot loader begins the kernel.
func (b *Board) entry() uint64 {
	if h := b.img.Multiboot(); h != nil && h.Flags&elffile.MultibootAddresses != 0 {
		return h.Entry
	}
	return b.img.Physical(b.img.Entry)
}
