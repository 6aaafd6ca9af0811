package kernel

import (
	"testing"

	"landgo/internal/image/elffile"
)

// TestLibrarysSignals: SIGRTMIN is 34 with glibc and 35 with musl, and no signal is a
// library's where there is none.
func TestLibrarysSignals(t *testing.T) {
	for libc, want := range map[elffile.Libc][2]uint64{elffile.Glibc: {32, 34}, elffile.Musl: {32, 35}, elffile.NoLibc: {0, 0}} {
		for sig := range uint64(65) {
			if got := IsLibrarys(libc, sig); got != (sig >= want[0] && sig < want[1]) {
				t.Errorf("%v, signal %d: %v", libc, sig, got)
			}
		}
	}
}
