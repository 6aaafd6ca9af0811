package image

import "debug/dwarf"

// TypeSize is the size in bytes of the type that the program's sources call
// name (a typedef); false without debug information for it.
func (im *Image) TypeSize(name string) (size uint64, ok bool) {
	d := &im.debug
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load(im)
	if d.data == nil {
		return 0, false
	}
	err := guard(func() error {
		r := d.data.Reader()
		for {
			e, err := r.Next()
			if err != nil || e == nil {
				return err
			}
			if e.Tag == dwarf.TagTypedef && d.name(e) == name {
				size, ok = d.sizeOf(e.Offset, maxTypeDepth), true
				return nil
			}
			if e.Tag != dwarf.TagCompileUnit {
				r.SkipChildren() // types that a program names lie at the top
			}
		}
	})
	return size, ok && err == nil
}
