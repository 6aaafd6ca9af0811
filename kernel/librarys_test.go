package kernel

import (
	"testing"

	"landgo/internal/image"
)

// TestLibrarysSignals: SIGRTMIN is 34 with glibc and 35 with musl, and no signal is a
// library's where there is none.
func TestLibrarysSignals(t *testing.T) {
	for libc, want := range map[image.Libc][2]uint64{image.Glibc: {32, 34}, image.Musl: {32, 35}, image.NoLibc: {0, 0}} {
		for sig := range uint64(65) {
			if got := IsLibrarys(libc, sig); got != (sig >= want[0] && sig < want[1]) {
				t.Errorf("%v, signal %d: %v", libc, sig, got)
			}
		}
	}
}
