package image

import "strings"

// aheadPrefixes begin the names of libc's functions that read strings in whole
// aligned words or vectors, up to beyond their end.
var aheadPrefixes = []string{"str", "mem", "rawmem", "stp", "wcs", "wmem", "index", "rindex", "bcmp"}

// ReadsAhead lists the code of libc's string functions, whose reads beyond the
// end of what they were given aren't errors. A program's own function is never
// one, whatever its name: it has line information, or no symbol.
func (im *Image) ReadsAhead() []Range {
	var all []Range
	for _, f := range im.Functions() {
		name := strings.TrimLeft(f.Name, "_")
		for _, p := range aheadPrefixes {
			if strings.HasPrefix(name, p) && f.Size > 0 && !im.hasLine(f.Addr) {
				all = append(all, Range{f.Addr, f.Addr + f.Size})
				break
			}
		}
	}
	return all
}

// hasLine reports whether there is line information for the instruction at pc.
func (im *Image) hasLine(pc uint64) bool {
	fs := im.Frames(pc)
	return len(fs) > 0 && fs[0].File != ""
}
