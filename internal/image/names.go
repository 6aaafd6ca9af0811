package image

import "sort"

// Symbols by their names, static ones too.

// bestName is the name of the function at addr, or name if addr starts none.
func (im *File) bestName(addr uint64, name string) string {
	i := sort.Search(len(im.Functions), func(i int) bool { return im.Functions[i].Addr >= addr })
	if i < len(im.Functions) && im.Functions[i].Addr == addr {
		return im.Functions[i].Name
	}
	return name
}

// functionsNamed are the entries of all functions with a name: files may each
// have a static one.
func (im *File) functionsNamed(name string) (addrs []uint64) {
	for i := range im.Symbols {
		s := &im.Symbols[i]
		if s.Name == name && s.Kind != Object && s.Kind != IFunc && im.IsCode(s.Addr) {
			addrs = append(addrs, s.Addr)
		}
	}
	return addrs
}

// Objects are the variables with a name that have a size; each file may have
// one.
func (im *File) Objects(name string) (list []Symbol) {
	for _, s := range im.Symbols {
		if s.Name == name && s.Kind == Object && s.Size > 0 {
			list = append(list, s)
		}
	}
	return list
}

// has reports whether there is a function or a variable of a name, a static one too.
func (im *File) has(name string) bool {
	_, ok := im.Symbol(name)
	return ok || len(im.Objects(name)) > 0
}
