package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// nowhere is what the engine has for its standard input and output: null, from which nothing comes. In
// a root without that device it is a file in memory.
func nowhere(null string) (*os.File, error) {
	f, err := os.OpenFile(null, os.O_RDWR, 0)
	if err == nil {
		return f, nil
	}
	fd, e := unix.MemfdCreate("nowhere", unix.MFD_CLOEXEC)
	if e != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "nowhere"), nil
}
