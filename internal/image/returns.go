package image

// Returns are the addresses of the instructions by which the function that begins at an
// address returns; nil if its code can't be taken apart.
func (im *File) Returns(entry uint64) (all []uint64) {
	f, ok := im.SymbolAt(entry)
	if !ok || f.Addr != entry {
		return nil
	}
	for at := f.Addr; at < f.Addr+f.Size; {
		inst, _, err := decode(im.Bytes(at, MaxInst), im.Machine)
		if err != nil {
			return nil
		}
		if inst.Op.String() == "RET" {
			all = append(all, at)
		}
		at += uint64(inst.Len)
	}
	return all
}
