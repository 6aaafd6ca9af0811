package elffile

import "bytes"

// Marks of a kernel in the bytes of its code: the answers are yes too often.

// LoadsTask reports whether the code has an instruction that loads the task register
// (ltr): a kernel that does has a stack for interrupts of user programs. It looks for
// the bytes.
func (f *File) LoadsTask() bool {
	return f.anyCode(func(code []byte) bool { return has0f(code, 0x00, 3, true) })
}

// LoadsGates reports whether the code has an instruction that loads the interrupt
// descriptor table (lidt).
func (f *File) LoadsGates() bool {
	return f.anyCode(func(code []byte) bool { return has0f(code, 0x01, 3, false) })
}

// anyCode reports whether has is true of any stretch of code.
func (f *File) anyCode(has func([]byte) bool) bool {
	for i := range f.Segments {
		s := &f.Segments[i]
		for _, r := range f.Code {
			lo, hi := max(r.Lo, s.Addr), min(r.Hi, s.Addr+uint64(len(s.Data)))
			if lo < hi && has(s.Data[lo-s.Addr:hi-s.Addr]) {
				return true
			}
		}
	}
	return false
}

// has0f reports whether there is an instruction 0f op /digit, of a register too or of
// memory alone.
func has0f(code []byte, op, digit byte, register bool) bool {
	for {
		at := bytes.Index(code, []byte{0x0f, op})
		if at < 0 || at+2 >= len(code) {
			return false
		}
		if b := code[at+2]; b>>3&7 == digit && (register || b>>6 != 3) {
			return true
		}
		code = code[at+2:]
	}
}
