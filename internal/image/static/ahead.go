package static

import (
	"slices"
	"strings"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
)

// aheadPrefixes begin the names of libc's functions that read strings in whole
// aligned words or vectors, up to beyond their end.
var aheadPrefixes = []string{"str", "mem", "rawmem", "stp", "wcs", "wmem", "index", "rindex", "bcmp"}

// bytewise begin the names of those of them that read character by character:
// their reads beyond the end are errors.
var bytewise = []string{"strto", "wcsto", "strftime", "wcsftime", "strptime", "strfmon", "strfrom", "strerror", "strsignal"}

// ReadsAhead lists the code of libc's string functions, whose reads beyond the
// end of their input aren't errors. A program's own function is never one,
// whatever its name: it has line information, or no symbol. glibc's dynamic linker has
// string functions of its own, to which it gives no names; so all of its code counts.
func ReadsAhead(info *debuginfo.Info) []elffile.Range {
	var all []elffile.Range
	linker := info.Interpreter()
	if linker != nil && linker.Libc() == elffile.NoLibc {
		all = append(all, linker.Code...)
	} else {
		linker = nil
	}
	for _, f := range info.Functions {
		if linker != nil && linker.IsCode(f.Addr) {
			continue
		}
		name := strings.TrimLeft(f.Name, "_")
		for _, p := range aheadPrefixes {
			if strings.HasPrefix(name, p) && f.Size > 0 && !hasPrefix(name, bytewise) && !hasLine(info, f.Addr) {
				all = append(all, elffile.Range{Lo: f.Addr, Hi: f.Addr + f.Size})
				break
			}
		}
	}
	return all
}

func hasPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// hasLine reports whether there is line information for the instruction at pc.
func hasLine(info *debuginfo.Info, pc uint64) bool {
	fs := info.Frames(pc)
	return len(fs) > 0 && fs[0].File != ""
}
