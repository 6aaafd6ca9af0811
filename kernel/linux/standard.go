package linux

import (
	"strconv"
	"strings"
)

// Output by name: /dev/stdout, /dev/stderr, and /dev/fd/N and /proc/self/fd/N of a descriptor
// that is one of the two. Opened for writing it is another descriptor for the same, as with
// a pipe or a terminal.

// outputNamed is the use that a name of standard output or standard error means, useClosed if
// it is no such name.
func (c *call) outputNamed(path string, flags uint64) uint64 {
	if flags&oAccmode == 0 || flags&oPath != 0 {
		return useClosed
	}
	fd := -1
	switch path {
	case "/dev/stdout":
		fd = 1
	case "/dev/stderr":
		fd = 2
	default:
		for _, in := range []string{"/dev/fd/", "/proc/self/fd/"} {
			if n, err := strconv.Atoi(strings.TrimPrefix(path, in)); err == nil && strings.HasPrefix(path, in) {
				fd = n
			}
		}
	}
	if fd < 0 {
		return useClosed
	}
	if use := c.k.files.use(int32(fd)); use == useStdout || use == useStderr {
		return use
	}
	return useClosed
}
