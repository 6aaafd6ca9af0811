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
)

// A kernel's boot is kept in a file, so that the next run of the same kernel begins
// where it is up. All that the state depends on is in the file's name and in the
// file itself: the image, the command line, the profile, the machine, this build of
// landgo. A file that doesn't fit isn't found; a damaged one prints one warning,
// and the kernel is booted.

const (
	BootMagic  = "landgo boot 1\n"
	BootSuffix = ".boot"
	// maxSnapshot bounds a file, and maxSnapshots all of them.
	maxSnapshot  = 128 << 20
	maxSnapshots = 1 << 30
)

var BootSum = crc32.MakeTable(crc32.Castagnoli)

// Boot is what is in a file.
type Boot struct {
	Own, Board []byte
	Machine    emu.Frozen
}

// DamagedBoot says that a file can't be used.
type DamagedBoot struct {
	Path string
	Err  error
}

func (e *DamagedBoot) Error() string {
	return fmt.Sprintf("the kept boot %s is damaged (%v): the kernel is booted again", e.Path, e.Err)
}

// ReadBoot reads a file and checks that it is whole. The error is
// fs.ErrNotExist or a *DamagedBoot.
func ReadBoot(path string, key [sha256.Size]byte) (*Boot, error) {
	info, err := host.Stat(path)
	if err != nil || info.Link || !info.Mode.IsRegular() {
		return nil, fs.ErrNotExist
	}
	// It holds the state of a processor as the engine has it, which no other user may
	// give or read.
	if !info.Own {
		return nil, &DamagedBoot{path, errors.New("another user owns it, or may write it")}
	}
	if info.Size > maxSnapshot {
		return nil, &DamagedBoot{path, errors.New("it is too large")}
	}
	text, err := result.ReadFile(path, maxSnapshot)
	if err != nil {
		return nil, fs.ErrNotExist // not ours to read: as if it weren't there
	}
	head := len(BootMagic) + len(key) + crc32.Size
	switch {
	case len(text) < head || string(text[:len(BootMagic)]) != BootMagic:
		return nil, &DamagedBoot{path, errors.New("it doesn't begin as such")}
	case string(text[len(BootMagic):head-crc32.Size]) != string(key[:]):
		return nil, &DamagedBoot{path, errors.New("it is of another kernel or machine")}
	case binary.LittleEndian.Uint32(text[head-crc32.Size:]) != crc32.Checksum(text[head:], BootSum):
		return nil, &DamagedBoot{path, errors.New("its sum is wrong")}
	}
	k := &Boot{}
	if err := kernel.Decode(text[head:], k); err != nil {
		return nil, &DamagedBoot{path, err}
	}
	return k, nil
}

// Write writes a boot into a file, which appears when it is complete.
func (k *Boot) Write(path string, key [sha256.Size]byte) error {
	state, err := kernel.Encode(*k)
	if err != nil {
		return err
	}
	text := append([]byte(BootMagic), key[:]...)
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
