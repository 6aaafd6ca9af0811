package library

import (
	"fmt"
	"testing"
)

// The threads that one deeper thread creates have addresses of their own each, and so have
// those of threads beside it.
func TestSiblingsHaveAddressesOfTheirOwn(t *testing.T) {
	had := map[uint64]string{}
	for parent := 1; parent <= 4; parent++ {
		for child := 1; child <= 16; child++ {
			name := fmt.Sprintf("0.%d.%d", parent, child)
			base, size := arenaPlace(name)
			if other, taken := had[base]; taken {
				t.Errorf("threads %s and %s both have %#x", other, name, base)
			}
			if had[base] = name; base < hashedBegin || base+size > farBegin {
				t.Errorf("thread %s has %#x, outside of the hashed arenas", name, base)
			}
		}
	}
	for chain, name := 1, "0.1"; chain <= 64; chain++ {
		name += ".1"
		base, _ := arenaPlace(name)
		if other, taken := had[base]; taken && other != name {
			t.Errorf("threads %s and %s both have %#x", other, name, base)
		}
		had[base] = name
	}
	if a, b := hashOf("0.1")%farArenas, hashOf("0.2")%farArenas; a == b {
		t.Errorf("threads 0.1 and 0.2 both have far arena %d", a)
	}
}
