package host

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Libraries says which shared libraries a run may read. A guest's file names the
// libraries that it needs, and may be hostile. A Keeper hands out nothing but ELF files
// of the type of shared libraries, from folders where these are. A program's debug information is of
// the program's own type: it is handed out if its name ends in .debug.
type Libraries struct {
	// Root is the folder that stands for the system's root, "" for the root itself:
	// libraries may be anywhere beneath it.
	Root string
	// Folders are those of the host that libraries may be beneath.
	Folders []string
}

// SystemLibraries are the folders in which systems have libraries.
var SystemLibraries = []string{"/lib", "/lib32", "/lib64", "/usr", "/opt", "/nix/store", "/gnu/store"}

func (l *Libraries) allows(root, path string) bool {
	if path == "" || filepath.Clean(path) != path {
		return false
	}
	if root != "" {
		return root == l.Root && filepath.IsAbs(path)
	}
	path, err := filepath.Abs(path) // one of the guest's folder is as the guest's was given
	if err != nil {
		return false
	}
	for _, f := range l.Folders {
		if f = filepath.Clean(f); filepath.IsAbs(f) && strings.HasPrefix(path, strings.TrimSuffix(f, "/")+"/") {
			return true
		}
	}
	return false
}

var errNoLibrary = errors.New("not a shared library")

// openLibrary opens a file that is a shared library by its header. Links are followed,
// within the root.
func openLibrary(root, path string) (*os.File, error) {
	f, err := openBeneath(root, path)
	if err != nil {
		return nil, err
	}
	var head [18]byte
	n, err := f.ReadAt(head[:], 0)
	if t := elf.Type(binary.LittleEndian.Uint16(head[16:])); n < len(head) || string(head[:4]) != elf.ELFMAG ||
		t != elf.ET_DYN && (t != elf.ET_EXEC || filepath.Ext(path) != ".debug") {
		f.Close()
		if err == nil || n > 0 {
			err = errNoLibrary
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return f, nil
}

func openBeneath(root, path string) (*os.File, error) {
	if root == "" {
		return openRegular(path)
	}
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: root, Err: err}
	}
	defer unix.Close(dir)
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS}
	for {
		fd, err := unix.Openat2(dir, path, &how)
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: filepath.Join(root, path), Err: err}
		}
		f := os.NewFile(uintptr(fd), path)
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			f.Close()
			return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
		}
		return f, nil
	}
}
