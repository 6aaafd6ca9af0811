package image

import (
	"debug/elf"
	"sort"
)

// Kernels that own the machine. One is known by an annotation that it calls
// (guests/kernel/landgo.h), by the header that multiboot loaders look for, because
// landgo has a profile for it, or by what only kernels do.

// BareProfile is for kernels that own the machine: annotations give their
// functions their meaning, not names.
var BareProfile = Profile{Name: "bare"}

// TellPrefix begins the names of the annotations.
const TellPrefix = "landgo_"

// NarrowCode takes code to be where the sections with instructions are: a
// kernel is often linked into one segment, and its data mustn't count as code.
func (im *File) NarrowCode() {
	var code []Range
	for _, s := range im.sections.Sections {
		if s.Flags&elf.SHF_EXECINSTR == 0 || s.Flags&elf.SHF_ALLOC == 0 || s.Size == 0 || s.Addr+s.Size < s.Addr {
			continue
		}
		r := Range{pageDown(s.Addr), pageUp(s.Addr + s.Size)}
		if im.IsCode(r.Lo) && im.IsCode(r.Hi-1) {
			code = append(code, r)
		}
	}
	sort.Slice(code, func(i, j int) bool { return code[i].Lo < code[j].Lo })
	joined := code[:0]
	for _, r := range code {
		if n := len(joined); n > 0 && r.Lo <= joined[n-1].Hi {
			joined[n-1].Hi = max(joined[n-1].Hi, r.Hi)
			continue
		}
		joined = append(joined, r)
	}
	old := im.Code
	if im.Code = joined; len(joined) == 0 || !im.IsCode(im.Entry) {
		im.Code = old
	}
}
