// Package linked finds the parts of a dynamically linked program when it runs. These are
// its dynamic linker and the libraries that they need, each at the place where landgo
// loads it. It looks where the dynamic linker itself would, so that both find the same
// files.
//
// Invariant: what is found is a function of the files' contents and the Search. A file is
// untrusted: any bytes give a File or an error.
package linked

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"landgo/internal/host"
	"landgo/internal/image/elffile"
)

const (
	// firstPlace is where the dynamic linker is loaded, clear of programs and their heap.
	// Each library has the next places of LibraryAlign.
	firstPlace = 0x20000000
	// maxLibraries bounds what a program needs, all together.
	maxLibraries = 256
	maxLibrary   = 512 << 20 // bytes of a file
	maxAll       = 1 << 30   // of all files
)

// The names under which landgo has no file: those of the libraries that musl's dynamic
// linker has within itself (musl, ldso/dynlink.c, load_library).
var muslOwn = []string{"libc.", "libpthread.", "librt.", "libm.", "libdl.", "libutil.", "libxnet."}

// search is a Search under way.
type search struct {
	Search
	program *elffile.File
	folder  string // of the program, as its path was given
	musl    bool
	parts   []*elffile.File
	byName  map[string]*elffile.File // by what they were asked for as, and by their own names
	next    uint64                   // the next place
	bytes   int
}

// Join makes one File of a program and what it is linked with; a static program is
// itself. The path is the program's.
func Join(f *elffile.File, at Search) (*elffile.File, error) {
	interpreter := f.Dynamic.Interpreter
	if interpreter == "" {
		return f, nil
	}
	s := &search{Search: at, program: f, folder: filepath.Dir(f.Path), byName: map[string]*elffile.File{}, next: max(firstPlace, placeBehind(f.End()))}
	s.musl = strings.HasPrefix(path.Base(interpreter), "ld-musl-")
	data, err := s.read(s.Sysroot, path.Clean(interpreter))
	if err == nil {
		_, err = s.add(path.Clean(interpreter), path.Base(interpreter), data)
	}
	if err != nil {
		return nil, unusable(f, "the dynamic linker "+interpreter, err)
	}
	if err := s.close(); err != nil {
		return nil, err
	}
	if s.parts[0].Libc() == elffile.NoLibc && !s.hasLibc() {
		return nil, missing("%s: its C library isn't one that landgo knows (glibc or musl)", f.Path)
	}
	return elffile.Join(f, s.parts)
}

func placeBehind(end uint64) uint64 {
	return (end + 2*elffile.LibraryAlign - 1) &^ (elffile.LibraryAlign - 1)
}

// close adds all that the program and its parts need, breadth first: a name means the
// first that gives it out, in that order. Libraries that the environment has loaded
// first, and those that a run has asked for itself, are among it.
func (s *search) close() error {
	type wish struct {
		name string
		by   *elffile.File
	}
	var wishes []wish
	for _, name := range s.Preload {
		wishes = append(wishes, wish{name, s.program})
	}
	of := func(f *elffile.File) {
		for _, name := range f.Dynamic.Needed {
			wishes = append(wishes, wish{name, f})
		}
	}
	of(s.program)
	of(s.parts[0])
	more := s.More
	if !s.musl {
		// glibc's functions that unwind threads ask for it while the program runs.
		more = append([]string{unwinder}, more...)
	}
	for len(wishes) > 0 || len(more) > 0 {
		var w wish
		late := len(wishes) == 0
		if late {
			w, more = wish{more[0], s.program}, more[1:]
		} else {
			w, wishes = wishes[0], wishes[1:]
		}
		if s.byName[w.name] != nil || s.musl && hasPrefix(w.name, muslOwn) {
			continue
		}
		shown, data, err := s.find(w.name, w.by)
		if late && w.name == unwinder && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var added *elffile.File
		if err == nil {
			added, err = s.add(shown, w.name, data)
		}
		if err != nil {
			return unusable(w.by, w.name, err)
		}
		if added != nil {
			of(added)
		}
	}
	return nil
}

// unwinder is the library by which glibc ends threads.
const unwinder = "libgcc_s.so.1"

// add takes a library in, under the path that the guest sees it at; nil for one that is
// there already under another name.
func (s *search) add(shown, name string, data []byte) (*elffile.File, error) {
	if len(s.parts) == maxLibraries {
		return nil, missing("more than %d libraries", maxLibraries)
	}
	if s.bytes += len(data); s.bytes > maxAll {
		return nil, missing("libraries larger than 1 GiB")
	}
	f, err := elffile.ParseLibrary(shown, data, s.next)
	if err != nil {
		return nil, err
	}
	if known := s.byName[f.Dynamic.Name]; known != nil {
		if known.SHA256 != f.SHA256 {
			return nil, missing("two libraries are called %s: %s and %s", f.Dynamic.Name, known.Path, shown)
		}
		s.byName[name] = known
		return nil, nil
	}
	s.separate(f)
	s.next = placeBehind(f.End())
	s.parts = append(s.parts, f)
	s.byName[name] = f
	if f.Dynamic.Name != "" {
		s.byName[f.Dynamic.Name] = f
	}
	return f, nil
}

func (s *search) hasLibc() bool {
	for _, p := range s.parts {
		if p.Libc() != elffile.NoLibc {
			return true
		}
	}
	return false
}

// separate adds the debug information that a distribution has taken out of a library, if
// it is installed.
func (s *search) separate(f *elffile.File) {
	id := f.BuildID()
	if len(id) < 4 {
		return
	}
	path := "/usr/lib/debug/.build-id/" + id[:2] + "/" + id[2:] + ".debug"
	r, size, err := s.open(s.Sysroot, path)
	if err != nil {
		return
	}
	defer r.Close()
	_ = f.AddSeparate(path, r, size) // one that is damaged adds nothing
}

// AddDebug adds the debug information that was taken out of a program, where debuggers look for it: under
// its build-id, beside the program, in .debug there, and in /usr/lib/debug.
func AddDebug(f *elffile.File, at Search) {
	if f.Sections == nil || f.Sections.Section(".debug_info") != nil || f.Machine != elffile.X86_64 {
		return
	}
	s, id, folder := &search{Search: at, program: f}, f.BuildID(), filepath.Dir(f.Path)
	name, _ := f.DebugLink()
	var all []candidate
	if len(id) >= 4 {
		p := "/usr/lib/debug/.build-id/" + id[:2] + "/" + id[2:] + ".debug"
		all = append(all, candidate{s.Sysroot, p, p})
	}
	if name != "" {
		for _, p := range []string{filepath.Join(folder, name), filepath.Join(folder, ".debug", name)} {
			all = append(all, candidate{"", p, p})
		}
		if abs, err := filepath.Abs(folder); err == nil {
			p := filepath.Join("/usr/lib/debug", abs, name)
			all = append(all, candidate{s.Sysroot, p, p})
		}
	}
	for _, c := range all {
		if c.at == f.Path {
			continue
		}
		if data, err := s.read(c.root, c.at); err == nil && f.AddOwnSeparate(c.shown, data) == nil {
			return
		}
	}
	f.NoDebug = name
}

// open opens a library by its path beneath a root.
func (s *search) open(root, path string) (f *os.File, size int64, err error) {
	if f, err = host.Library(root, path); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxLibrary {
		err = missing("%s: a library of more than 512 MiB", path)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// read reads a library.
func (s *search) read(root, path string) ([]byte, error) {
	f, size, err := s.open(root, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return data, nil
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// missing is an error about what a program is linked with.
func missing(format string, args ...any) error { return elffile.Unlinkable(format, args...) }

// unusable says of what a file needs that it isn't there, or why it can't be used.
func unusable(by *elffile.File, what string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return missing("%s: it needs %s, which isn't in the system's folders of libraries", by.Path, what)
	}
	var bad *elffile.Error
	if errors.As(err, &bad) {
		return missing("%s: it needs %s, which can't be used: %w", by.Path, what, err)
	}
	return missing("%s: it needs %s, which can't be read: %w", by.Path, what, err)
}
