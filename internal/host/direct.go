package host

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
)

// direct is this process's own way.
type direct struct{}

func (direct) Stat(path string) (Info, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Info{}, err
	}
	i := Info{Size: info.Size(), Mode: info.Mode()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		i.Own = int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
	}
	if null, err := os.Stat(os.DevNull); err == nil {
		i.Null = os.SameFile(info, null)
	}
	name, err := os.Lstat(path)
	i.Link = err != nil || name.Mode()&os.ModeSymlink != 0
	return i, nil
}

func (direct) Open(path string) (*os.File, error) { return os.Open(path) }

func (direct) Create(path string) (New, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".landgo-*")
	if err != nil {
		return nil, err
	}
	return &newFile{f, path, 0o644}, nil
}

func (direct) Cache(path string, room int64) (New, error) {
	dir, suffix := filepath.Dir(path), filepath.Ext(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	tidy(dir, suffix, room)
	f, err := os.CreateTemp(dir, "new-*"+suffix)
	if err != nil {
		return nil, err
	}
	return &newFile{f, path, 0o600}, nil
}

// tidy removes the oldest files, until the others have room.
func tidy(dir, suffix string, room int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), suffix) {
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

func (direct) Temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "landgo-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (direct) Library(root, path string) (*os.File, error) { return openLibrary(root, path) }

// newFile is a temporary file beside the path.
type newFile struct {
	f    *os.File
	path string
	mode os.FileMode
}

func (n *newFile) File() *os.File { return n.f }

func (n *newFile) Drop() {
	n.f.Close()
	os.Remove(n.f.Name()) // does nothing after the rename
}

func (n *newFile) Keep() error {
	err := n.f.Chmod(n.mode)
	if err == nil {
		err = n.f.Sync()
	}
	if closeErr := n.f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(n.f.Name(), n.path)
	}
	if err != nil {
		return err
	}
	// The name is on disk when its directory is. Not every file system can do
	// that for a directory, and the file itself is whole already.
	if d, err := os.Open(filepath.Dir(n.path)); err == nil {
		d.Sync()
		d.Close()
	}
	return nil
}
