package session

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"landgo/internal/explore/config"
	"landgo/internal/explore/saved"
	"landgo/internal/host"
	"landgo/internal/result"
	"landgo/scheduler"
)

// A program's start that is worth noting is run once in all: it is kept, as kernels' boots are.
// The guest's sessions share it.

// startKey is a digest of all that a program's start depends on.
func (s *Session) startKey() (key [sha256.Size]byte, ok bool) {
	build := host.Build()
	mc, err := s.Platform.machine(&s.Program)
	if build == "" || err != nil {
		return key, false
	}
	h := sha256.New()
	for _, part := range []string{
		saved.StartMagic, result.Version, build, fmt.Sprintf("%x", s.Config.StartCheck([]byte(s.Image.SHA256+s.Image.PartsDigest()), s.Inputs...)),
		fmt.Sprintf("%+v", mc), s.Machine.Layout(), fmt.Sprint(s.environment()),
	} {
		fmt.Fprintf(h, "%d %s\n", len(part), part)
	}
	return [sha256.Size]byte(h.Sum(nil)), true
}

// findStart gives the sessions of a guest the start that they share, as it was kept if it
// was. A *saved.DamagedBoot says that it can't be used.
func (s *Session) findStart() error {
	switch {
	case s.Config.Covers() || s.Config.Checks(config.CheckUninit):
		return nil // code is looked at as it is run
	case s.openings != nil:
		s.Plain.Opens(s.openings)
		return nil
	}
	dir, asked := s.Config.SnapshotDir()
	key, ok := s.startKey()
	if dir == "" || !ok {
		s.openings = scheduler.NewOpenings(nil, nil)
		s.Plain.Opens(s.openings)
		return nil
	}
	path := filepath.Join(dir, fmt.Sprintf("%x%s", key[:16], saved.StartSuffix))
	var kept *scheduler.Opening
	if !s.afresh {
		var err error
		if kept, err = saved.ReadStart(path, key); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	s.openings = scheduler.NewOpenings(kept, func(o *scheduler.Opening) {
		if err := saved.WriteStart(path, key, o); err != nil && asked {
			s.Notes = append(s.Notes, fmt.Sprintf("the program's start can't be kept: %v", err))
		}
	})
	s.Plain.Opens(s.openings)
	return nil
}
