package image

import "bytes"

// LoadsTask reports whether the code has an instruction that loads the task register
// (ltr): a kernel that does has a stack for interrupts of user programs. It looks for
// the bytes, so it may say yes too often.
func (im *Image) LoadsTask() bool {
	for i := range im.Segments {
		s := &im.Segments[i]
		for _, r := range im.Code {
			lo, hi := max(r.Lo, s.Addr), min(r.Hi, s.Addr+uint64(len(s.Data)))
			if lo < hi && hasLTR(s.Data[lo-s.Addr:hi-s.Addr]) {
				return true
			}
		}
	}
	return false
}

func hasLTR(code []byte) bool {
	for {
		at := bytes.Index(code, []byte{0x0f, 0x00})
		if at < 0 || at+2 >= len(code) {
			return false
		}
		if code[at+2]>>3&7 == 3 {
			return true
		}
		code = code[at+2:]
	}
}
