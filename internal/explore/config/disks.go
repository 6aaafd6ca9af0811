package config

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/abi"
)

// A kernel's disks are among the files, by their places: "disk 0" is the first channel's
// first drive. No path of a file begins so.
const diskName = "disk "

// Disk is the place of a disk; false: the file isn't one.
func (f *GuestFile) Disk() (place int, ok bool) {
	n, ok := strings.CutPrefix(f.Guest, diskName)
	if !ok || len(n) != 1 || n[0] < '0' || n[0] >= '0'+abi.MaxDisks {
		return 0, false
	}
	return int(n[0] - '0'), true
}

func setDisk(c *Config, v string) error {
	place := 0
	for i := range c.Files {
		if n, ok := c.Files[i].Disk(); ok {
			place = max(place, n+1)
		}
	}
	if n, file, ok := strings.Cut(v, ":"); ok && len(n) == 1 && n[0] >= '0' && n[0] < '0'+abi.MaxDisks {
		place, v = int(n[0]-'0'), file
	}
	switch {
	case v == "" || strings.ContainsRune(v, 0):
		return fmt.Errorf("want FILE or N:FILE, got %q", v)
	case place >= abi.MaxDisks:
		return fmt.Errorf("the machine has room for %d disks", abi.MaxDisks)
	}
	c.Files = append(c.Files, GuestFile{Host: v, Guest: fmt.Sprint(diskName, place)})
	return nil
}

// WritesFiles reports whether a program may make and write files.
func (c *Config) WritesFiles() bool {
	return slices.ContainsFunc(c.Files, func(f GuestFile) bool { return f.Guest == WritesFiles })
}

// filesAsGiven are the values of --file, or of --disk.
func (c *Config) filesAsGiven(disks bool) (values []string) {
	for i := range c.Files {
		f := &c.Files[i]
		switch n, ok := f.Disk(); {
		case ok != disks:
		case disks:
			values = append(values, fmt.Sprintf("%d:%s", n, f.Host))
		case f.Guest == WritesFiles:
			values = append(values, WritesFiles)
		default:
			values = append(values, f.Host+":"+f.Guest)
		}
	}
	return values
}
