package debuginfo

import (
	"debug/dwarf"
	"encoding/binary"
	"fmt"

	"landgo/internal/image/fields"
)

// gcc passes the arguments of an i386 function in registers where it sees all its
// calls, as of a static one whose address isn't taken. But landgo, which reads them
// on the stack, would take anything for them. The debug information says where the
// first parameter is at the function's entry.

// Kinds of entries of a location list (DWARF 5, §7.7.3), and of an expression that is
// a register.
const (
	locationOffsets     = 4
	locationBase        = 6
	locationStartEnd    = 7
	locationStartLength = 8
)

// InRegisters says that a function gets its first argument in a register; "" if it
// doesn't, as far as the debug information tells.
func (d *Info) InRegisters(name string) (why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load()
	if d.data == nil || d.Machine.Word() != 4 {
		return ""
	}
	d.guard(func() error {
		r := d.reader()
		for first := false; ; {
			e, err := r.Next()
			if err != nil || e == nil {
				return err
			}
			if first && e.Tag == dwarf.TagFormalParameter && d.inRegister(e) {
				why = fmt.Sprintf("the compiler passes the arguments of %s in registers, because it sees all its calls: declare it noipa, or not static", name)
				return nil
			}
			first = e.Tag == dwarf.TagSubprogram && d.name(e) == name
		}
	})
	return why
}

// inRegister reports whether a parameter is in a register where its first location
// begins. Preconditions: d.mu is held, the caller is under guard.
func (d *Info) inRegister(param *dwarf.Entry) bool {
	isRegister := func(n uint64, expression []byte) bool {
		return n == 1 && expression[0] >= fields.OpReg0 && expression[0] <= fields.OpReg31
	}
	if all, ok := param.Val(dwarf.AttrLocation).([]byte); ok {
		return isRegister(uint64(len(all)), all)
	}
	list, ok := param.Val(dwarf.AttrLocation).(int64)
	sections, _ := d.DebugSections()
	s := sections.Section(".debug_loclists")
	if !ok || s == nil {
		return false
	}
	b, err := s.Data()
	if err != nil || list < 0 || list >= int64(len(b)) {
		return false
	}
	b = b[list:]
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		b = b[max(n, 0):]
		return v
	}
	for len(b) > 0 {
		kind := b[0]
		b = b[1:]
		switch kind {
		case locationBase:
			b = b[4:]
			continue
		case locationOffsets:
			number()
			number()
		case locationStartEnd:
			b = b[8:]
		case locationStartLength:
			b = b[4:]
			number()
		default:
			return false
		}
		return isRegister(number(), b)
	}
	return false
}
