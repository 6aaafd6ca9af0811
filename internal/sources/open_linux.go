package sources

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Open opens the regular file at a local path in a folder, without following a link and without
// leaving the folder, whatever happens to its names meanwhile. Only regular files of at most this
// many bytes are opened: opening a pipe or a device has effects.
func Open(dir, path string, most int64) (*os.File, error) {
	root, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(root)
	for _, open := range []func(root int, path string, flags int) (int, error){openat2, walk} {
		f, err := openRegular(root, path, most, open)
		if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
			continue // an old kernel, or a sandbox that doesn't know the call
		}
		return f, err
	}
	return nil, errNoSource
}

// openRegular checks the file before it opens it for reading, and again after.
func openRegular(root int, path string, most int64, open func(root int, path string, flags int) (int, error)) (*os.File, error) {
	at, err := open(root, path, unix.O_PATH)
	if err != nil {
		return nil, err
	}
	defer unix.Close(at)
	if !regular(at, most) {
		return nil, errNoSource
	}
	fd, err := open(root, path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return nil, err
	}
	if !regular(fd, most) {
		unix.Close(fd)
		return nil, errNoSource
	}
	return os.NewFile(uintptr(fd), path), nil
}

func regular(fd int, most int64) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size <= most
}

// openat2 has the kernel see to it that nothing leads out of the folder.
func openat2(root int, path string, flags int) (int, error) {
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for range 8 {
		fd, err := unix.Openat2(root, path, &how)
		if err != unix.EAGAIN && err != unix.EINTR { // a name was changed meanwhile
			return fd, err
		}
	}
	return -1, errNoSource
}

// walk does the same a component at a time; no component may be a link.
// Preconditions: the path is local and clean, so it has no "..".
func walk(root int, path string, flags int) (int, error) {
	at := root
	names := strings.Split(path, string(filepath.Separator))
	for i, name := range names {
		how := flags
		if i+1 < len(names) {
			how = unix.O_PATH | unix.O_DIRECTORY
		}
		fd, err := unix.Openat(at, name, how|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if at != root {
			unix.Close(at)
		}
		if err != nil {
			return -1, err
		}
		at = fd
	}
	return at, nil
}
