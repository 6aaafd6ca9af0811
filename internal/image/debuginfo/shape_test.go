package debuginfo

import "testing"

// TestContradicts: accesses to no field, to a part of a pointer, or with a value that is no address where
// a pointer is, aren't to a block of the structure. Those to whole fields may be.
func TestContradicts(t *testing.T) {
	info := open(t, "gcc", "shapes.c", "-g -O1")
	main, ok := info.Symbol("main")
	if !ok {
		t.Fatal("no main")
	}
	if name, ok := info.PointedTo(main.Addr, 32, 8); !ok || name != "node.next" {
		t.Fatalf("%q, %v", name, ok)
	}
	for _, tc := range []struct {
		offset, width uint64
		address, want bool
	}{
		{0, 4, false, false},
		{0, 8, false, false}, // with what is between two fields
		{4, 4, false, true},
		{8, 8, true, false},
		{8, 8, false, true},
		{8, 4, true, true},
		{12, 4, true, true},
		{16, 8, false, false}, // a pointer to void may have any value
		{24, 4, false, false}, // two fields
		{24, 8, false, false},
		{26, 4, false, true},
		{28, 4, false, false},
		{30, 1, false, false}, // a part of a number
	} {
		if got := info.Contradicts(main.Addr, 32, tc.offset, tc.width, tc.address); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	if info.Contradicts(main.Addr, 48, 4, 4, false) {
		t.Error("of a size that no structure has")
	}
}
