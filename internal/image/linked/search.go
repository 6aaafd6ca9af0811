package linked

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"landgo/internal/host"
	"landgo/internal/image/elffile"
)

// Search says where libraries are.
type Search struct {
	// Sysroot is the folder that stands for the system's root, "" for the root itself.
	Sysroot string
	// Path are folders of the host to look in before the system's.
	Path []string
	// Preload are libraries that the guest's environment has loaded first.
	Preload []string
	// More are libraries that the program asked for while it ran (dlopen).
	More []string
}

// folders are those of the systems, in the order of Debian's and Fedora's ld.so.conf. A
// folder that a system hasn't got has nothing.
var folders = []string{
	"/usr/local/lib", "/usr/local/lib/x86_64-linux-gnu", "/usr/local/lib64",
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
}

// systems begin the paths of libraries of a system's.
var systems = []string{"/lib/", "/lib32/", "/lib64/", "/usr/", "/opt/", "/nix/store/", "/gnu/store/"}

// muslFolders are those that musl looks in, and where Debian has libraries for it.
var muslFolders = []string{"/lib", "/usr/local/lib", "/usr/lib", "/lib/x86_64-linux-musl", "/usr/lib/x86_64-linux-musl", "/usr/local/lib/x86_64-linux-musl"}

// candidate is a place at which a library may be: a path beneath a root, and where the
// guest sees it.
type candidate struct{ root, at, shown string }

// find finds a library that a file needs, as ld.so(8) does. It goes by a path if the name
// has a slash. Else it looks in DT_RPATH, in the folders given, in DT_RUNPATH, in the
// system's. A file for another machine is passed over.
func (s *search) find(name string, by *elffile.File) (shown string, data []byte, err error) {
	var skipped error
	for _, c := range s.candidates(name, by) {
		data, err := s.read(c.root, c.at)
		if err == nil {
			if err := elffile.LibraryFor(c.shown, data); err != nil {
				skipped = err
				continue
			}
			return c.shown, data, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, os.ErrPermission) && skipped == nil {
			skipped = err
		}
	}
	if skipped != nil {
		return "", nil, skipped
	}
	return "", nil, fs.ErrNotExist
}

func (s *search) candidates(name string, by *elffile.File) (all []candidate) {
	if strings.Contains(name, "/") {
		if path.IsAbs(name) && !s.ownFolder(name) {
			return []candidate{{s.Sysroot, path.Clean(name), path.Clean(name)}}
		}
		return []candidate{{"", path.Join(s.folder, name), path.Clean("/" + name)}} // the guest's working directory is its folder
	}
	in := func(root, dir string) {
		all = append(all, candidate{root, path.Join(dir, name), shownIn(dir, name)})
	}
	named := func(list string, by *elffile.File) {
		for _, dir := range strings.Split(list, ":") {
			if dir != "" {
				in(s.expand(dir, by))
			}
		}
	}
	if by.Dynamic.RunPath == "" {
		named(by.Dynamic.RPath, by)
		if by != s.program && s.program.Dynamic.RunPath == "" {
			named(s.program.Dynamic.RPath, s.program)
		}
	}
	for _, dir := range s.Path {
		in("", path.Clean(dir))
	}
	named(by.Dynamic.RunPath, by)
	list := folders
	if s.musl {
		list = muslFolders
	}
	for _, dir := range list {
		in(s.Sysroot, dir)
	}
	return all
}

// ownFolder: a path at which a guest has asked for a library that lies in its folder, or
// beneath it. A guest's own folder is / to it.
func (s *search) ownFolder(name string) bool {
	return !hasPrefix(name, systems) && (s.Sysroot != "" || !strings.HasPrefix(name, s.folder+"/"))
}

// expand puts in what a file's folders may name (ld.so(8), "Dynamic string tokens"). The
// folder of the program, and of a library that lies where only the program's own do, is
// the host's.
func (s *search) expand(dir string, by *elffile.File) (root, expanded string) {
	origin := path.Dir(by.Path)
	root = s.Sysroot
	if by == s.program || origin == "/" {
		origin = s.folder
		if strings.Contains(dir, "ORIGIN") {
			root = ""
		}
	}
	for _, o := range []struct{ token, text string }{{"ORIGIN", origin}, {"LIB", "lib"}, {"PLATFORM", "x86_64"}} {
		dir = strings.ReplaceAll(strings.ReplaceAll(dir, "${"+o.token+"}", o.text), "$"+o.token, o.text)
	}
	return root, path.Clean(dir)
}

// shownIn is where the guest sees a library: in the system's folders as there, and the
// others in its own, so that nothing depends on where that lies.
func shownIn(dir, name string) string {
	if hasPrefix(dir+"/", systems) {
		return path.Join(dir, name)
	}
	return "/" + name
}

// OpenLibrary opens the library that a program asked for by a path while it ran.
func OpenLibrary(at Search, program, name string) (*os.File, error) {
	s := &search{Search: at, folder: filepath.Dir(program)}
	c := s.candidates(name, &elffile.File{})[0]
	return host.Library(c.root, c.at)
}
