package firstheap

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"
)

var keptBlock []byte

// TestLarge: what is allocated next lies where large pages were asked for, and the block isn't kept.
func TestLarge(t *testing.T) {
	Large(debug.SetGCPercent)
	keptBlock = make([]byte, 8<<20)
	at := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(keptBlock))))
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip("this system doesn't say how memory is mapped")
	}
	within := false
	for _, line := range strings.Split(string(text), "\n") {
		var lo, hi uint64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &lo, &hi); n == 2 {
			within = lo <= at && at < hi
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && within {
			if !strings.Contains(flags, " hg") {
				t.Errorf("the heap is mapped with%s", flags)
			}
			return
		}
	}
	t.Errorf("nothing is mapped at %#x", at)
}
