package session

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"landgo/emu"
	"landgo/internal/explore/saved"
	"landgo/internal/host"
	"landgo/internal/result"
	board "landgo/kernel/bare"
	"landgo/scheduler/steer"
)

// worthKeeping is the least number of instructions of a boot that is kept: it is
// done again as soon as it is read.
const worthKeeping = 1_000_000

// snapshotKey is a digest of all that a boot depends on.
func (s *Session) snapshotKey() (key [sha256.Size]byte, ok bool) {
	build := host.Build()
	if build == "" {
		return key, false
	}
	mc, err := s.Platform.machine(&s.Program)
	if err != nil {
		return key, false
	}
	h := sha256.New()
	disks := ""
	for i := range s.Config.Files {
		if n, ok := s.Config.Files[i].Disk(); ok {
			disks += fmt.Sprintf("%d %x ", n, sha256.Sum256(s.Inputs[1+i]))
		}
	}
	profile := ""
	if s.Config.Profile != nil {
		profile = s.Config.Profile.Text
	}
	for _, part := range []string{
		saved.BootMagic, result.Version, build,
		s.Image.SHA256, s.Config.Cmdline, disks, profile, fmt.Sprintf("%+v", mc), s.Machine.Layout(),
		fmt.Sprint(s.Config.StepBudget, s.Config.MaxThreads, s.Config.MaxOutput, s.Config.NoHeap, s.Config.AllShared),
	} {
		fmt.Fprintf(h, "%d %s\n", len(part), part)
	}
	return [sha256.Size]byte(h.Sum(nil)), true
}

// bootKept boots the kernel, or goes on from where it was up before. A
// *damagedError leaves the machine unusable.
func (s *Session) bootKept(b *board.Board, own *steer.Kernel, regs *emu.Regs) error {
	dir, asked := s.Config.SnapshotDir()
	key, ok := s.snapshotKey()
	if dir == "" || !ok {
		return own.Boot(regs)
	}
	path := filepath.Join(dir, fmt.Sprintf("%x%s", key[:16], saved.BootSuffix))
	if !s.afresh {
		state, err := saved.ReadBoot(path, key)
		if err == nil {
			if err = thaw(state, b, own); err == nil {
				return nil
			}
			err = &saved.DamagedBoot{Path: path, Err: err}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := own.Boot(regs); err != nil || own.BootInstructions() < worthKeeping {
		return err
	}
	if err := keepBoot(path, key, b, own); err != nil && asked {
		s.Notes = append(s.Notes, fmt.Sprintf("the kernel's boot can't be kept: %v", err))
	}
	return nil
}

// thaw goes on from a kept boot. A panic on the way means that the state contradicts
// itself.
func thaw(k *saved.Boot, b *board.Board, own *steer.Kernel) (err error) {
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

// keepBoot writes the kernel's state into a file.
func keepBoot(path string, key [sha256.Size]byte, b *board.Board, own *steer.Kernel) error {
	state, machine, err := own.Freeze()
	if err != nil {
		return err
	}
	k := saved.Boot{Own: state, Machine: *machine}
	if k.Board, err = b.Freeze(); err != nil {
		return err
	}
	return k.Write(path, key)
}
