package scheduler

import "testing"

// TestOpeningPasses: a start reaches no breakpoint but where it has run, and where none
// was then.
func TestOpeningPasses(t *testing.T) {
	o := &Opening{Ran: []uint64{0x1000, 4, 12}, Breaks: []uint64{0x1004}}
	for _, tc := range []struct {
		breaks []uint64
		passes bool
	}{{nil, true}, {[]uint64{0x1004}, true}, {[]uint64{0x1008, 4, 12}, true}, {[]uint64{0x1010}, false}, {[]uint64{0x1004, 0x1000}, false}} {
		if o.passes(tc.breaks) != tc.passes {
			t.Errorf("breakpoints %#x: %v", tc.breaks, !tc.passes)
		}
	}
}
