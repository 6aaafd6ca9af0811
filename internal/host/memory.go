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

// Footprint is a process's share of the machine's memory, in bytes, if the system says
// so. It counts resident memory, memory put out to disk, and the kernel's tables of its
// pages. A process can fill these tables without a page of its own. threads is how many
// it has. status is its file of that name, which may stay open.
func Footprint(status io.ReaderAt) (bytes uint64, threads int, ok bool) {
	var text [4096]byte
	n, _ := status.ReadAt(text[:], 0)
	for rest := string(text[:n]); rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "VmRSS", "VmSwap", "VmPTE":
			if n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 54); err == nil {
				bytes += n << 10
			}
		case "Threads":
			threads, _ = strconv.Atoi(strings.TrimSpace(value))
		}
	}
	return bytes, threads, bytes > 0
}

// ResidentIn reads what Resident is from a process's file statm, which may stay open.
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
