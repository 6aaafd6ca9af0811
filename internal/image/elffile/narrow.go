package elffile

import (
	"debug/elf"
	"sort"

	"landgo/internal/abi"
)

// NarrowCode takes code to be where the sections with instructions are: a
// kernel is often linked into one segment, and its data mustn't count as code.
func (f *File) NarrowCode() {
	var code []Range
	for _, s := range f.Sections.Sections {
		if s.Flags&elf.SHF_EXECINSTR == 0 || s.Flags&elf.SHF_ALLOC == 0 || s.Size == 0 || s.Addr+s.Size < s.Addr {
			continue
		}
		r := Range{abi.PageDown(s.Addr), abi.PageUp(s.Addr + s.Size)}
		if f.IsCode(r.Lo) && f.IsCode(r.Hi-1) {
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
	old := f.Code
	if f.Code = joined; len(joined) == 0 || !f.IsCode(f.Entry) {
		f.Code = old
	}
}
