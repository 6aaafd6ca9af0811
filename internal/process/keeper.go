package process

import (
	"path/filepath"
	"slices"

	"landgo/internal/explore/config"
	"landgo/internal/host"
)

// keeperOf opens the files that a configuration names, for the engine.
func keeperOf(c *config.Config, systemOnly bool) *host.Keeper {
	k := &host.Keeper{Read: []string{c.Guest, c.Stdin, c.Resume}}
	for _, f := range c.Files {
		k.Read = append(k.Read, f.Host)
	}
	if c.Checkpoint != "" {
		k.Write = append(k.Write, c.Checkpoint)
	}
	k.Folder, _ = c.SnapshotDir()
	k.Libraries = host.Libraries{Root: c.Sysroot, Folders: slices.Clone(c.LibrarySearch().Path)}
	if c.Sysroot == "" {
		k.Libraries.Folders = append(k.Libraries.Folders, host.SystemLibraries...)
	}
	if abs, err := filepath.Abs(c.Guest); err == nil && !systemOnly { // bin/prog has its libraries in lib, often
		own := filepath.Dir(abs)
		k.Libraries.Folders = append(k.Libraries.Folders, own)
		if beside := filepath.Dir(own); beside != "/" {
			k.Libraries.Folders = append(k.Libraries.Folders, beside)
		}
	}
	return k
}
