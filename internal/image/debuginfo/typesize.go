package debuginfo

import "debug/dwarf"

// TypeSize is the size in bytes of the type that the program's sources call
// name (a typedef); false without debug information for it.
func (d *Info) TypeSize(name string) (size uint64, ok bool) {
	err := d.types(func(_ *dieReader, e *dwarf.Entry) bool {
		if e.Tag == dwarf.TagTypedef && d.name(e) == name {
			size, ok = d.sizeOf(e.Offset, maxTypeDepth), true
		}
		return ok
	})
	return size, ok && err == nil
}

// types gives f the entries at the top of each compile unit until f is done. The
// types that a program names are there. f may read on from its entry.
func (d *Info) types(f func(r *dieReader, e *dwarf.Entry) (done bool)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load()
	if d.data == nil {
		return nil
	}
	return d.guard(func() error {
		r := d.reader()
		for {
			e, err := r.Next()
			if err != nil || e == nil || f(r, e) {
				return err
			}
			if e.Tag != dwarf.TagCompileUnit {
				r.SkipChildren()
			}
		}
	})
}
