package explore

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
	"landgo/kernel"
	board "landgo/kernel/bare"
	"landgo/result"
	"landgo/scheduler/steer"
)

// A kernel's boot is kept in a file, so that the next run of the same kernel begins
// where it is up. All that the state depends on is in the file's name and in the
// file itself: the image, the command line, the profile, the machine, this build of
// landgo. A file that doesn't fit isn't found; one that is damaged is told of, and
// the kernel is booted.

const (
	snapshotMagic  = "landgo boot 1\n"
	snapshotSuffix = ".boot"
	// worthKeeping is the least number of instructions of a boot that is kept: it is
	// done again as soon as it is read.
	worthKeeping = 1_000_000
	// maxSnapshot bounds a file, and maxSnapshots all of them.
	maxSnapshot  = 128 << 20
	maxSnapshots = 1 << 30
)

var snapshotSum = crc32.MakeTable(crc32.Castagnoli)

// kept is what is in a file.
type kept struct {
	Own, Board []byte
	Machine    emu.Frozen
}

// damagedError says that a file can't be used.
type damagedError struct {
	path string
	err  error
}

func (e *damagedError) Error() string {
	return fmt.Sprintf("the kept boot %s is damaged (%v): the kernel is booted again", e.path, e.err)
}

// snapshotKey is a digest of all that a boot depends on.
func (s *session) snapshotKey() (key [sha256.Size]byte, ok bool) {
	path, err := os.Executable()
	if err != nil {
		return key, false
	}
	build, err := os.Stat(path)
	if err != nil {
		return key, false
	}
	mc, err := s.platform.machine(s)
	if err != nil {
		return key, false
	}
	h := sha256.New()
	profile := ""
	if s.cfg.Profile != nil {
		profile = s.cfg.Profile.Text
	}
	for _, part := range []string{
		snapshotMagic, result.Version, fmt.Sprint(build.Size(), build.ModTime().UnixNano()),
		s.img.SHA256, s.cfg.Cmdline, profile, fmt.Sprintf("%+v", mc), s.machine.Layout(),
		fmt.Sprint(s.cfg.StepBudget, s.cfg.MaxThreads, s.cfg.MaxOutput, s.cfg.NoHeap, s.cfg.AllShared),
	} {
		fmt.Fprintf(h, "%d %s\n", len(part), part)
	}
	return [sha256.Size]byte(h.Sum(nil)), true
}

// bootKept boots the kernel, or goes on from where it was up before. A
// *damagedError leaves the machine unusable.
func (s *session) bootKept(b *board.Board, own *steer.Kernel, regs *emu.Regs) error {
	dir, asked := s.cfg.SnapshotDir()
	key, ok := s.snapshotKey()
	if dir == "" || !ok {
		return own.Boot(regs)
	}
	path := filepath.Join(dir, fmt.Sprintf("%x%s", key[:16], snapshotSuffix))
	if !s.afresh {
		state, err := readSnapshot(path, key)
		if err == nil {
			if err = thaw(state, b, own); err == nil {
				return nil
			}
			err = &damagedError{path, err}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := own.Boot(regs); err != nil || own.BootInstructions() < worthKeeping {
		return err
	}
	if err := keepBoot(path, key, b, own); err != nil && asked {
		s.notes = append(s.notes, fmt.Sprintf("the kernel's boot can't be kept: %v", err))
	}
	return nil
}

// thaw goes on from a kept boot. A panic on the way means that the state contradicts
// itself.
func thaw(k *kept, b *board.Board, own *steer.Kernel) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it contradicts itself: %v", p)
		}
	}()
	if err := b.Thaw(k.Board); err != nil {
		return err
	}
	return own.Thaw(k.Own, &k.Machine)
}

// readSnapshot reads a file and checks that it is whole. The error is
// fs.ErrNotExist or a *damagedError.
func readSnapshot(path string, key [sha256.Size]byte) (*kept, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	if !ownFile(info) {
		return nil, &damagedError{path, errors.New("another user owns it, or may write it")}
	}
	if info.Size() > maxSnapshot {
		return nil, &damagedError{path, errors.New("it is too large")}
	}
	text, err := result.ReadFile(path, maxSnapshot)
	if err != nil {
		return nil, fs.ErrNotExist // not ours to read: as if it weren't there
	}
	head := len(snapshotMagic) + len(key) + crc32.Size
	switch {
	case len(text) < head || string(text[:len(snapshotMagic)]) != snapshotMagic:
		return nil, &damagedError{path, errors.New("it doesn't begin as such")}
	case string(text[len(snapshotMagic):head-crc32.Size]) != string(key[:]):
		return nil, &damagedError{path, errors.New("it is of another kernel or machine")}
	case binary.LittleEndian.Uint32(text[head-crc32.Size:]) != crc32.Checksum(text[head:], snapshotSum):
		return nil, &damagedError{path, errors.New("its sum is wrong")}
	}
	k := &kept{}
	if _, err := kernel.Plain(text[head:], k); err != nil {
		return nil, &damagedError{path, err}
	}
	return k, nil
}

// ownFile: what is in the file has been written by this user. It holds the state of a
// processor as the engine has it, which is no business of anybody else's.
func ownFile(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}

// keepBoot writes the state into a file, which appears when it is complete.
func keepBoot(path string, key [sha256.Size]byte, b *board.Board, own *steer.Kernel) error {
	var k kept
	state, machine, err := own.Freeze()
	if err != nil {
		return err
	}
	k.Own, k.Machine = state, *machine
	if k.Board, err = b.Freeze(); err != nil {
		return err
	}
	text := append([]byte(snapshotMagic), key[:]...)
	head := len(text) + crc32.Size
	if text, err = kernel.AppendPlain(append(text, make([]byte, crc32.Size)...), k); err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(text[head-crc32.Size:], crc32.Checksum(text[head:], snapshotSum))
	if len(text) > maxSnapshot {
		return fmt.Errorf("it takes %d MiB", len(text)>>20)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tidy(dir, maxSnapshots-int64(len(text)))
	f, err := os.CreateTemp(dir, "new-*"+snapshotSuffix)
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
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), snapshotSuffix) {
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
