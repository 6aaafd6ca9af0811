package linux

import "encoding/binary"

// Locks of parts of a file (fcntl). They are a process's: its own threads never wait for
// each other's, and there is no other process. So none is ever refused.

// Kinds of locks: l_type, the first two bytes of struct flock.
const (
	lockRead = iota
	lockWrite
	lockNone

	flockSize = 32
)

func (c *call) recordLock(use uint64) uint64 {
	b := c.k.user.copyIn(c.a[2], flockSize)
	if b == nil {
		return efault
	}
	kind, whence := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])
	mode := uint64(0)
	switch {
	case use == useStdout || use == useStderr:
		mode = 1
	case use >= useFile:
		mode = c.get(&c.k.files.descriptions[use-useFile].status) & oAccmode
	}
	switch {
	case kind > lockNone || whence > 2 || c.a[1] == fGetlk && kind == lockNone:
		return einval
	case c.a[1] == fGetlk:
		return c.k.user.copyOut(c.a[2], []byte{lockNone, 0})
	case kind == lockRead && mode == 1, kind == lockWrite && mode == 0:
		return ebadf
	}
	return 0
}
