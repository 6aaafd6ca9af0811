package firstheap

import (
	"encoding/binary"
	"os"
	"testing"
	"unsafe"
)

var kept *[48]byte

// TestFirst: pages that nothing has used are there, and what is allocated next lies in them.
func TestFirst(t *testing.T) {
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		t.Skip("this system doesn't say which pages are there")
	}
	defer f.Close()
	all := int(to-from) / page
	entries := make([]byte, 8*all)
	if _, err := f.ReadAt(entries, int64(8*(from/page))); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if binary.LittleEndian.Uint64(entries[8*i:])>>63 == 0 {
			t.Fatalf("page %d isn't there", i)
		}
	}
	kept = new([48]byte)
	if at := uintptr(unsafe.Pointer(kept)); at < from-chunk || at >= to {
		t.Errorf("an object is at %#x, what is there at %#x", at, from)
	}
}
