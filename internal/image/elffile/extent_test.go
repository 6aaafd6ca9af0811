package elffile

import "testing"

// TestExtent: an address in a variable has its place and size, and no other has one.
func TestExtent(t *testing.T) {
	im := &File{objects: []Symbol{{Addr: 0x10, Size: 8}, {Addr: 0x20, Size: 0}, {Addr: 0x30, Size: 16}}}
	for addr, want := range map[uint64][2]uint64{0xf: {}, 0x10: {0x10, 8}, 0x17: {0x10, 8}, 0x18: {}, 0x20: {}, 0x3f: {0x30, 16}, 0x40: {}} {
		if lo, size := im.Extent(addr); lo != want[0] || size != want[1] {
			t.Errorf("%#x: %#x, %d; want %#x, %d", addr, lo, size, want[0], want[1])
		}
	}
}
