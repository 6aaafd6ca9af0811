package host

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Resident is how much memory a process has, in bytes, if the system says so.
func Resident(pid int) (uint64, bool) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, false
	}
	defer f.Close()
	return ResidentIn(f)
}

// ResidentIn reads it from a process's file statm, which may stay open.
func ResidentIn(statm io.ReaderAt) (uint64, bool) {
	var text [128]byte
	n, _ := statm.ReadAt(text[:], 0)
	if _, rest, ok := strings.Cut(string(text[:n]), " "); ok {
		first, _, _ := strings.Cut(rest, " ")
		if pages, err := strconv.ParseUint(first, 10, 64); err == nil {
			return pages * uint64(os.Getpagesize()), true
		}
	}
	return 0, false
}
