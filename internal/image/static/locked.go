package static

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
)

// Locked reports whether an instruction is one that a processor makes atomic:
// with a lock prefix, or an xchg with memory, which needs none. length is as in
// Inst.
func Locked(f *elffile.File, code []byte) (locked bool, length int, err error) {
	inst, _, err := x86.Decode(code, f.Machine)
	if err != nil {
		return false, 0, err
	}
	for _, p := range inst.Prefix {
		if p&0xff == x86asm.PrefixLOCK {
			return true, inst.Len, nil
		}
	}
	if inst.Op == x86asm.XCHG {
		for _, a := range inst.Args {
			if _, ok := a.(x86asm.Mem); ok {
				return true, inst.Len, nil
			}
		}
	}
	return false, inst.Len, nil
}

// AnyLocked reports whether the image has a locked instruction anywhere, its libraries' code
// included. Code that no function's symbol covers, or that doesn't decode, is searched from every
// byte. There it may say yes for none, and never no for one. So it does for code of this many
// instructions that they aren't looked at.
func AnyLocked(file *elffile.File) bool {
	left := maxLocked
	for _, r := range file.Code {
		for pc := r.Lo; pc < r.Hi; {
			if f, ok := file.SymbolAt(pc); ok && f.Addr == pc && f.Size > 0 {
				locked, end := lockedIn(file, pc, min(pc+f.Size, r.Hi), &left)
				if locked {
					return true
				}
				if end > pc { // else its first byte doesn't decode
					pc = end
					continue
				}
			}
			code := file.Bytes(pc, x86.MaxInst)
			if len(code) == 0 { // missing bytes are zero
				pc = nextBytes(file, pc, r.Hi)
				continue
			}
			if left--; left < 0 {
				return true
			}
			if locked, _, err := Locked(file, code); err == nil && locked {
				return true
			}
			pc++
		}
	}
	return false
}

// lockedIn looks for a locked instruction in [pc, end), which begins with one, up
// to the first that doesn't decode. It stopped at next. left is how many
// instructions are looked at yet.
func lockedIn(f *elffile.File, pc, end uint64, left *int) (locked bool, next uint64) {
	for pc < end {
		if *left--; *left < 0 {
			return true, pc
		}
		locked, n, err := Locked(f, f.Bytes(pc, x86.MaxInst))
		if err != nil {
			return false, pc
		}
		if locked {
			return true, pc
		}
		pc += uint64(n)
	}
	return false, pc
}

// maxLocked bounds the instructions that AnyLocked looks at: they take a second or two.
const maxLocked = 1 << 22

// nextBytes is where the file has the next byte from pc on; end if it has none before.
func nextBytes(f *elffile.File, pc, end uint64) uint64 {
	for i := range f.Segments {
		if s := &f.Segments[i]; s.Addr > pc && len(s.Data) > 0 {
			return min(s.Addr, end) // they ascend
		}
	}
	return end
}
