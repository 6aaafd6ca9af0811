package profile

import (
	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
	"landgo/internal/image/libc"
)

// ownFunctions are those names of a profile that the program defines itself.
func ownFunctions(info *debuginfo.Info, p *Profile) map[string]bool {
	own := map[string]bool{}
	if info.Libc() == elffile.NoLibc {
		return own
	}
	for _, b := range p.Bindings {
		if b.Own {
			own[b.Name] = true // a profile's can't be the library's (FileProfile.Fits)
			continue
		}
		if s, ok := info.Symbol(b.Name); ok && libc.IsOwn(info, &s) {
			own[b.Name] = true
		}
	}
	if own["malloc"] || own["free"] {
		// One allocator: the rest of the library's has no part of its own.
		for _, b := range allocator {
			own[b.Name] = true
		}
	}
	return own
}
