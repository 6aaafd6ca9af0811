package saved

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"

	"landgo/emu"
	"landgo/internal/host"
	"landgo/internal/result"
	"landgo/kernel"
	"landgo/scheduler"
)

// A kernel's boot is kept in a file, so that the next run of the same kernel begins
// where it is up. So is a program's start, if that takes long. All that the state depends
// on is in the file's name and in the file itself: the image, the command line, the
// profile, the machine, this build of landgo. A file that doesn't fit isn't found; a
// damaged one prints one warning, and the kernel is booted.

const (
	BootMagic   = "landgo boot 1\n"
	BootSuffix  = ".boot"
	StartMagic  = "landgo start 1\n"
	StartSuffix = ".start"
	// maxSnapshot bounds a file, and maxSnapshots all of them.
	maxSnapshot  = 128 << 20
	maxSnapshots = 1 << 30
)

var BootSum = crc32.MakeTable(crc32.Castagnoli)

// Boot is the content of a file.
type Boot struct {
	Own, Board []byte
	Machine    emu.Frozen
}

// DamagedBoot says that a file can't be used.
type DamagedBoot struct {
	Path  string
	Err   error
	Start bool // it is a program's start
}

func (e *DamagedBoot) Error() string {
	if e.Start {
		return fmt.Sprintf("the kept start %s is damaged (%v): the program is started again", e.Path, e.Err)
	}
	return fmt.Sprintf("the kept boot %s is damaged (%v): the kernel is booted again", e.Path, e.Err)
}

// ReadBoot reads a kernel's boot from a file and checks that it is whole. The error is
// fs.ErrNotExist or a *DamagedBoot.
func ReadBoot(path string, key [sha256.Size]byte) (*Boot, error) {
	k := &Boot{}
	if err := read(path, BootMagic, key, k); err != nil {
		return nil, err
	}
	return k, nil
}

// ReadStart is ReadBoot of a program's start.
func ReadStart(path string, key [sha256.Size]byte) (*scheduler.Opening, error) {
	o := &scheduler.Opening{}
	err := read(path, StartMagic, key, o)
	var damaged *DamagedBoot
	if errors.As(err, &damaged) {
		damaged.Start = true
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}

// read reads a file that keeps something under a key. The error is fs.ErrNotExist or a
// *DamagedBoot.
func read(path, magic string, key [sha256.Size]byte, to any) error {
	info, err := host.Stat(path)
	if err != nil || info.Link || !info.Mode.IsRegular() {
		return fs.ErrNotExist
	}
	// It holds the state of a processor as the engine has it, which no other user may
	// give or read.
	if !info.Own {
		return &DamagedBoot{Path: path, Err: errors.New("another user owns it, or may write it")}
	}
	if info.Size > maxSnapshot {
		return &DamagedBoot{Path: path, Err: errors.New("it is too large")}
	}
	text, err := result.ReadFile(path, maxSnapshot)
	if err != nil {
		return fs.ErrNotExist // not ours to read: as if it weren't there
	}
	head := len(magic) + len(key) + crc32.Size
	switch {
	case len(text) < head || string(text[:len(magic)]) != magic:
		return &DamagedBoot{Path: path, Err: errors.New("it doesn't begin as such")}
	case string(text[len(magic):head-crc32.Size]) != string(key[:]):
		return &DamagedBoot{Path: path, Err: errors.New("it is of another kernel or machine")}
	case binary.LittleEndian.Uint32(text[head-crc32.Size:]) != crc32.Checksum(text[head:], BootSum):
		return &DamagedBoot{Path: path, Err: errors.New("its sum is wrong")}
	}
	if err := kernel.Decode(text[head:], to); err != nil {
		return &DamagedBoot{Path: path, Err: err}
	}
	return nil
}

// Write writes a boot into a file, which appears when it is complete.
func (k *Boot) Write(path string, key [sha256.Size]byte) error {
	return write(path, BootMagic, key, *k)
}

// WriteStart is the same of a program's start.
func WriteStart(path string, key [sha256.Size]byte, o *scheduler.Opening) error {
	return write(path, StartMagic, key, *o)
}

func write(path, magic string, key [sha256.Size]byte, v any) error {
	state, err := kernel.Encode(v)
	if err != nil {
		return err
	}
	text := append([]byte(magic), key[:]...)
	text = binary.LittleEndian.AppendUint32(text, crc32.Checksum(state, BootSum))
	text = append(text, state...)
	if len(text) > maxSnapshot {
		return fmt.Errorf("it takes %d MiB", len(text)>>20)
	}
	f, err := host.Cache(path, maxSnapshots-int64(len(text)))
	if err != nil {
		return err
	}
	defer f.Drop()
	if _, err := f.File().Write(text); err != nil {
		return err
	}
	return f.Keep()
}
