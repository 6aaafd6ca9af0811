// Package sources opens files that others name. Reports quote lines of the guest's sources. The guest's
// line information says which file a line is of, and a hostile guest names any file of the host.
// So a source is read only from beneath a few folders: those of --source, the
// working directory, and the guest's own folder. On the way down there is no
// link and no "..", and at its end a regular file of a sensible size.
package sources

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// maxSource is more than any source file has.
const maxSource = 16 << 20

var errNoSource = errors.New("not a source file beneath the folders that are looked at")

// Folders are the folders that sources are read from, in their order; absolute
// paths.
type Folders []string

// Of are the folders of a configuration. guest: the user named the guest's
// path, or it is relative; a path that a bug file has isn't the user's word.
func Of(c *config.Config, guest bool) (Folders, error) {
	var s Folders
	for _, dir := range c.Sources {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, result.FileError(err)
		}
		if !info.IsDir() {
			return nil, result.Errorf(result.Usage, "--source %s: not a directory", dir)
		}
		s.add(dir)
	}
	folders := []string{"."}
	if guest {
		folders = append(folders, filepath.Dir(c.Guest))
	}
	for _, dir := range folders {
		// Beneath the root is all that the host has, which is no folder of sources
		// unless the user says so.
		if abs, err := filepath.Abs(dir); err == nil && abs != "/" {
			s.add(abs)
		}
	}
	return s, nil
}

func (s *Folders) add(dir string) {
	if abs, err := filepath.Abs(dir); err == nil {
		*s = append(*s, abs)
	}
}

// Read reads a source file that line information names. The name is relative to
// one of the folders, or absolute and beneath one of them.
func (s Folders) Read(name string) ([]byte, error) {
	if name == "" || strings.ContainsRune(name, 0) {
		return nil, errNoSource
	}
	for _, dir := range s {
		path := filepath.Clean(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(rel) || rel == "." {
			continue
		}
		f, err := Open(dir, rel, maxSource)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(f, maxSource+1))
		f.Close()
		if err != nil || len(text) > maxSource {
			return nil, fmt.Errorf("%s: %w", name, errNoSource)
		}
		return text, nil
	}
	return nil, fmt.Errorf("%s: %w", name, errNoSource)
}
