package saved

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"

	"landgo/emu"
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
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	if !ownFile(info) {
		return nil, &DamagedBoot{path, errors.New("another user owns it, or may write it")}
	}
	if info.Size() > maxSnapshot {
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

// ownFile: what is in the file has been written by this user. It holds the state of a
// processor as the engine has it, which no other user may give or read.
func ownFile(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
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
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tidy(dir, maxSnapshots-int64(len(text)))
	f, err := os.CreateTemp(dir, "new-*"+BootSuffix)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// tidy removes the oldest files, until the others have room.
func tidy(dir string, room int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), BootSuffix) {
			files = append(files, info)
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].ModTime().After(files[j].ModTime()) })
	for _, f := range files {
		if room -= f.Size(); room < 0 {
			os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}
