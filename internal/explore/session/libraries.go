package session

import (
	"errors"
	"io"
	"path"

	"landgo/internal/image/elffile"
	"landgo/internal/image/linked"
	"landgo/kernel"
	"landgo/scheduler"
)

// AsksForLibrary reports whether an error says that the guest has asked for a library that
// it wasn't loaded with.
func AsksForLibrary(err error) bool {
	var gap *scheduler.InvalidError
	return errors.As(err, &gap) && gap.Gap == kernel.GapLibrary
}

// lacks reports whether a library is at a path that the guest asked for while it ran,
// and wasn't loaded with. One that follows a run has all that the run had.
func (s *Session) lacks(name string) bool {
	if s.Following {
		return false
	}
	f, err := linked.OpenLibrary(s.Config.LibrarySearch(), s.Image.Parts[0].Path, path.Clean(name))
	if err != nil {
		return false
	}
	defer f.Close()
	const most = 64 << 20 // a larger file isn't looked at: it is asked for again
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return false
	}
	_, err = elffile.ParseLibrary(name, data, 0)
	return err == nil
}
