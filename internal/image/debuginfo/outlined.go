package debuginfo

import (
	"debug/dwarf"
	"strings"

	"landgo/internal/image/fields"
	"landgo/internal/trace"
)

// Outlined names the variable at addr to which the innermost function on a stack has a pointer
// that the compiler made. The threads of OpenMP share it; it is of the function from which gcc
// has taken their code. An example is "main::sum". regs and read are as in Unwind.
func (d *Info) Outlined(regs *trace.Regs, read func(addr uint64) (uint64, bool), addr uint64) (name string, ok bool) {
	frames := d.FramesOn(regs, read)
	if len(frames) == 0 {
		return "", false
	}
	d = d.of(regs.RIP)
	d.named(0) // finds the variables, with the lock that the rest needs too
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.data == nil {
		return "", false
	}
	err := d.guard(func() error {
		function, err := d.function(regs.RIP - d.Base)
		if function == nil || err != nil {
			return err
		}
		if base, _ := function.Val(dwarf.AttrFrameBase).([]byte); len(base) != 1 || base[0] != fields.OpFrameCFA {
			return nil
		}
		of, _, _ := strings.Cut(d.name(function), "._omp_")
		d.children(function, func(e *dwarf.Entry) bool {
			if e.Tag != dwarf.TagVariable {
				return true
			}
			place, known := pointedPlace(e, frames[0].Base, read)
			typ := d.typeOf(e)
			if ok = known && addr-place < max(d.sizeOf(typ, maxTypeDepth), 1); ok {
				name = of + "::" + d.name(e) + d.part(typ, addr-place, maxTypeDepth)
			}
			return !ok
		})
		return nil
	})
	return name, ok && err == nil
}

// pointedPlace is where a variable lies: at a distance from where a pointer in the frame points.
func pointedPlace(e *dwarf.Entry, base uint64, read func(addr uint64) (uint64, bool)) (place uint64, ok bool) {
	location, _ := e.Val(dwarf.AttrLocation).([]byte)
	r := fields.Reader{Data: location}
	if r.U8() != fields.OpFbreg {
		return 0, false
	}
	at := r.Sleb()
	if r.U8() != fields.OpDeref || r.Err != nil {
		return 0, false
	}
	if r.Off < len(r.Data) {
		if r.U8() != fields.OpPlusUconst {
			return 0, false
		}
		place = r.Uleb()
	}
	v, readable := read(base + uint64(at))
	return place + v, readable && r.Err == nil && r.Off == len(r.Data)
}
