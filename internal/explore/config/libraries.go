package config

import (
	"path/filepath"
	"strings"

	"landgo/internal/image/linked"
)

// LibrarySearch is where the guest's libraries are: by the options, and by what its
// environment says to a dynamic linker.
func (c *Config) LibrarySearch() linked.Search {
	s := linked.Search{Sysroot: c.Sysroot, More: c.Libraries}
	for _, e := range c.Env {
		name, value, _ := strings.Cut(e, "=")
		switch name {
		case "LD_LIBRARY_PATH":
			for _, dir := range strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ';' }) {
				if filepath.IsAbs(dir) {
					s.Path = append(s.Path, filepath.Clean(dir))
				}
			}
		case "LD_PRELOAD":
			s.Preload = strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ' ' })
		}
	}
	s.Path = append(s.Path, c.LibraryPath...)
	return s
}

// setFolder sets the path of a folder: a whole one, for the process that asks for files
// has no working directory.
func setFolder(to *string, v string) error {
	if err := setPath(to, v); err != nil {
		return err
	}
	abs, err := filepath.Abs(v)
	*to = abs
	return err
}
