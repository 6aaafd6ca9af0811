package static

import "testing"

// TestAlike: what lets a thread's own places out, or works with them, is found, and nothing else is.
func TestAlike(t *testing.T) {
	alike := []string{"plain", "guarded", "reads", "kept"}
	unlike := []string{"lends", "leaks", "compares", "indirect", "number", "left", "below", "flags", "saved", "frame", "half", "call"}
	for _, flags := range []string{"-O0 -static", "-O2 -static", "-O2 -static -fno-omit-frame-pointer"} {
		info := open(t, "gcc", "alike.c", flags)
		at := func(name string) uint64 {
			s, ok := info.Symbol(name)
			if !ok {
				t.Fatalf("no function %s", name)
			}
			return s.Addr
		}
		why := func(name string) string {
			return Alike(info.File, at(name), func(addr uint64) Trust {
				return Trust{Carried: addr == at("lock"), Alike: true, Args: 1}
			}, func(uint64) (uint64, bool) { return 0, false }).Why
		}
		for _, name := range alike {
			if w := why(name); w != "" {
				t.Errorf("%s: %s: %s", flags, name, w)
			}
		}
		for _, name := range unlike {
			if why(name) == "" {
				t.Errorf("%s: %s is taken for one that nothing tells apart", flags, name)
			}
		}
	}
}
