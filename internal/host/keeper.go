package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
)

// A Keeper opens files for another process: those that the user named, and no other.
// A request of the other process may be a hostile program's wish.
type Keeper struct {
	Read  []string // paths
	Write []string // paths that may be written, and read
	// Folder is where files with names of its own may be kept, if it isn't "".
	Folder string
	// Libraries says which shared libraries may be read.
	Libraries Libraries

	begun map[uint64]New
	temps int
}

const (
	maxBegun = 4 // files begun and not kept
	maxTemps = 16
)

var kept = regexp.MustCompile(`^[0-9a-f]+\.[a-z]+$`)

var errNotNamed = errors.New("not a file of this run's")

// Answer does what is asked. The file, if there is one, is the caller's to close, after
// it has been passed on.
func (k *Keeper) Answer(r Request) (Answer, *os.File) {
	a := Answer{ID: r.ID}
	info, f, err := k.do(r)
	if err != nil {
		a.fail(r, err)
		return a, nil
	}
	a.Info = info
	return a, f
}

// Close drops what was begun and not kept.
func (k *Keeper) Close() {
	for id, n := range k.begun {
		n.Drop()
		delete(k.begun, id)
	}
}

func (k *Keeper) do(r Request) (info Info, f *os.File, err error) {
	switch {
	case r.Op == opStat && k.reads(r.Path):
		info, err = direct{}.Stat(r.Path)
	case r.Op == opOpen && k.reads(r.Path):
		f, err = openRegular(r.Path)
	case r.Op == opCreate && slices.Contains(k.Write, r.Path):
		f, err = k.begin(r.ID, func() (New, error) { return direct{}.Create(r.Path) })
	case r.Op == opCache && k.inFolder(r.Path):
		f, err = k.begin(r.ID, func() (New, error) { return direct{}.Cache(r.Path, r.Room) })
	case r.Op == opTemporary && k.temps < maxTemps:
		k.temps++
		f, err = direct{}.Temporary()
	case r.Op == opLibrary && k.Libraries.allows(r.Root, r.Path):
		f, err = openLibrary(r.Root, r.Path)
	case (r.Op == opKeep || r.Op == opDrop) && k.begun[r.Of] != nil:
		n := k.begun[r.Of]
		delete(k.begun, r.Of)
		if r.Op == opKeep {
			err = n.Keep()
		}
		n.Drop()
	default:
		err = &fs.PathError{Op: string(r.Op), Path: r.Path, Err: errNotNamed}
	}
	return info, f, err
}

// openRegular opens a regular file: opening a pipe would wait for its writer.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	return f, nil
}

// begin begins a file. The other process has its own descriptor of it; that of this one
// puts it on the disk.
func (k *Keeper) begin(id uint64, create func() (New, error)) (*os.File, error) {
	if len(k.begun) >= maxBegun {
		return nil, errNotNamed
	}
	n, err := create()
	if err != nil {
		return nil, err
	}
	fd, err := syscall.Dup(int(n.File().Fd()))
	if err != nil {
		n.Drop()
		return nil, err
	}
	syscall.CloseOnExec(fd)
	if k.begun == nil {
		k.begun = map[uint64]New{}
	}
	k.begun[id] = n
	return os.NewFile(uintptr(fd), n.File().Name()), nil
}

func (k *Keeper) reads(path string) bool {
	return slices.Contains(k.Read, path) || slices.Contains(k.Write, path) || k.inFolder(path)
}

func (k *Keeper) inFolder(path string) bool {
	return k.Folder != "" && filepath.Dir(path) == filepath.Clean(k.Folder) && kept.MatchString(filepath.Base(path))
}

func (a *Answer) fail(r Request, err error) {
	a.Failed, a.Op, a.Path, a.Text = true, string(r.Op), r.Path, err.Error()
	var p *fs.PathError
	if errors.As(err, &p) {
		a.Op, a.Path, a.Text = p.Op, p.Path, p.Err.Error()
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		a.Op, a.Path, a.Text = l.Op, l.New, l.Err.Error()
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		a.Errno = int(errno)
	}
}
