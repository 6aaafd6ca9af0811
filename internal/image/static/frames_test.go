package static

import "testing"

// TestFrames: a function's part of the stack is told no smaller than it is, with a frame
// pointer and without; libc's functions have no lines.
func TestFrames(t *testing.T) {
	for _, flags := range []string{"-O0", "-O1", "-O2"} {
		info := open(t, "gcc", "frames.c", "-g -static "+flags)
		name, got := map[uint64]string{}, map[string]uint64{}
		for _, f := range info.Functions {
			name[f.Addr] = f.Name
		}
		for _, f := range Frames(info) {
			got[name[f.Addr]] = f.Size
		}
		for name, least := range map[string]uint64{"leaf": 20, "calls": 200, "parts": 300} {
			if n := got[name]; n < least || n > least+150 {
				t.Errorf("%s %s: %d bytes, has at least %d", flags, name, n, least)
			}
		}
		if got["none"] > 16 || got["malloc"] != 0 || len(got) > 6 {
			t.Errorf("%s: %v", flags, got)
		}
	}
}
