package bare

import (
	"bytes"
	"slices"
)

// drive is a disk's content: what was read from a file, which never changes, and over
// it the sectors that the kernel has written.
type drive struct {
	file    []byte
	written map[uint64][]byte // by number; a slice that is in it never changes
}

const sectorSize = 512

// undoer notes what takes a change back (emu.Machine).
type undoer interface{ Undo(f func()) }

// newDrive makes the drive of a file; nil without one.
func newDrive(file []byte) *drive {
	if file == nil {
		return nil
	}
	return &drive{file: file, written: map[uint64][]byte{}}
}

// sectors is how many there are. A file's last one is filled up with zeros.
func (d *drive) sectors() uint64 { return (uint64(len(d.file)) + sectorSize - 1) / sectorSize }

// read is sector n, which isn't to be changed.
func (d *drive) read(n uint64) []byte {
	if b, ok := d.written[n]; ok {
		return b
	}
	at := min(n*sectorSize, uint64(len(d.file)))
	end := min(at+sectorSize, uint64(len(d.file)))
	if end-at == sectorSize {
		return d.file[at:end]
	}
	return append(slices.Clone(d.file[at:end]), make([]byte, sectorSize-(end-at))...)
}

// write replaces sector n.
func (d *drive) write(u undoer, n uint64, b []byte) {
	old, had := d.written[n]
	if bytes.Equal(d.read(n), b) {
		return
	}
	d.written[n] = bytes.Clone(b)
	u.Undo(func() {
		if had {
			d.written[n] = old
		} else {
			delete(d.written, n)
		}
	})
}
