package image

// ownFunctions are those names of a profile that the program defines itself.
func (im *Info) ownFunctions(p *Profile) map[string]bool {
	own := map[string]bool{}
	if im.Libc() == NoLibc {
		return own
	}
	for _, b := range p.Bindings {
		if b.Own {
			own[b.Name] = true // a profile's can't be the library's (FileProfile.Fits)
			continue
		}
		if s, ok := im.Symbol(b.Name); ok && im.isOwn(&s) {
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
