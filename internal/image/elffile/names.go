package elffile

import "sort"

// Symbols by their names, static ones too.

// BestName is the name of the function at addr, or name if addr starts none.
func (f *File) BestName(addr uint64, name string) string {
	i := sort.Search(len(f.Functions), func(i int) bool { return f.Functions[i].Addr >= addr })
	if i < len(f.Functions) && f.Functions[i].Addr == addr {
		return f.Functions[i].Name
	}
	return name
}

// FunctionsNamed are the entries of all functions with a name: files may each
// have a static one.
func (f *File) FunctionsNamed(name string) (addrs []uint64) {
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if s.Name == name && s.Kind != Object && s.Kind != IFunc && f.IsCode(s.Addr) {
			addrs = append(addrs, s.Addr)
		}
	}
	return addrs
}

// Objects are the variables with a name that have a size; each file may have
// one.
func (f *File) Objects(name string) (list []Symbol) {
	for _, s := range f.Symbols {
		if s.Name == name && s.Kind == Object && s.Size > 0 {
			list = append(list, s)
		}
	}
	return list
}

// Has reports whether there is a function or a variable of a name, a static one too.
func (f *File) Has(name string) bool {
	_, ok := f.Symbol(name)
	return ok || len(f.Objects(name)) > 0
}
