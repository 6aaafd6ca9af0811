package static

import "landgo/internal/image/elffile"

// Most instructions of a compiler's are of a few forms, whose length is told in a few steps. A
// walk of a whole image needs no more of them, and the decoder takes twenty times as long.

// quick is the length of the instruction that code begins with, and whether it is a move or the
// computation of an address. Such a one has nothing to do with flags, and goes on with the next.
// It is 0 for what only the decoder tells, and what the decoder doesn't take for an instruction.
func quick(code []byte, m elffile.Machine) (n int, plain bool) {
	if len(code) < 8 {
		return 0, false
	}
	wide, prefix := false, 0
	if m == elffile.X86_64 && code[0]&0xf0 == 0x40 { // REX
		wide, prefix = code[0]&8 != 0, 1
		code = code[1:]
	}
	switch op := code[0]; {
	case op == 0x89, op == 0x8b, op == 0x63 && m == elffile.X86_64:
		n, plain = modrm(code, 1), true
	case op == 0x8d && code[1] < 0xc0:
		n, plain = modrm(code, 1), true
	case op == 0xc7 && code[1]&0x38 == 0:
		n, plain = modrm(code, 1)+4, true
	case op >= 0xb8 && op <= 0xbf && !wide:
		n, plain = 5, true
	case op >= 0x50 && op <= 0x5f && !wide:
		n, plain = 1, true
	case op == 0x0f && (code[1] == 0xb6 || code[1] == 0xb7 || code[1] == 0xbe || code[1] == 0xbf):
		n, plain = modrm(code, 2), true
	case op < 0x40 && op&7 < 4, op == 0x84, op == 0x85: // add, or, adc, sbb, and, sub, xor, cmp; test
		n = modrm(code, 1)
	case op == 0x80, op == 0x83:
		n = modrm(code, 1) + 1
	case op == 0x81:
		n = modrm(code, 1) + 4
	case prefix > 0: // of others it needn't be a part
	case op == 0xe8, op == 0xe9:
		n = 5
	case op == 0xeb, op&0xf0 == 0x70:
		n = 2
	case op == 0x0f && code[1]&0xf0 == 0x80:
		n = 6
	case op == 0xc3:
		n = 1
	}
	if n == 0 || n > len(code) {
		return 0, false
	}
	return prefix + n, plain
}

// modrm is where the operand in memory or a register ends, whose first byte is at code[at] (Intel
// SDM, 2.1.5), for addresses of 32 and of 64 bits.
func modrm(code []byte, at int) int {
	mod, rm := code[at]>>6, code[at]&7
	at++
	if mod != 3 && rm == 4 {
		if mod == 0 && code[at]&7 == 5 {
			at += 4
		}
		at++
	}
	switch {
	case mod == 1:
		at++
	case mod == 2, mod == 0 && rm == 5:
		at += 4
	}
	return at
}
