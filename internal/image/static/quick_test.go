package static

import (
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/image/x86"
)

// TestQuick: what quick says, the decoder says too, at each byte of programs and for both modes,
// whether an instruction begins there or not. Most instructions are quick's.
func TestQuick(t *testing.T) {
	f := imagetest.Open(t, elffile.Open, "gcc", "threads.c", "-static -O2")
	for _, m := range []elffile.Machine{elffile.X86_64, elffile.I386} {
		told, moves := 0, 0
		code := f.Bytes(f.Code[0].Lo, 1<<17)
		for i := range code {
			at := code[i:min(i+x86.MaxInst, len(code))]
			n, plain := quick(at, m)
			if n == 0 {
				continue
			}
			told++
			inst, _, err := x86.Decode(at, m)
			if err != nil || inst.Len != n || vectorLen(at, m) > 0 {
				t.Fatalf("%x (%d): %d bytes, and the decoder says %d, %v", at, m, n, inst.Len, err)
			}
			if !plain {
				continue
			}
			moves++
			kind, _ := branch(&inst, 0)
			if x86.ReadsFlags(inst.Op) || x86.SetsFlags(&inst) || shifts(&inst) || kind != falls {
				t.Fatalf("%x (%d): %v isn't plain", at, m, inst)
			}
		}
		if told < len(code)/3 || moves < len(code)/16 {
			t.Errorf("quick tells %d of %d, %d of them moves", told, len(code), moves)
		}
	}
}
