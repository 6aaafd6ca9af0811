package linux

import (
	"fmt"
	"path"
	"strings"

	"landgo/kernel"
)

// Names of files that the guest makes: unlink, rename, link, and folders. A file's first name
// is part of it; another one is an inode of its own that says which file it is of. All are
// operations on the open files' resource.

const (
	sysRename    = 82
	sysMkdir     = 83
	sysRmdir     = 84
	sysLink      = 86
	sysUnlink    = 87
	sysMkdirat   = 258
	sysUnlinkat  = 263
	sysRenameat  = 264
	sysLinkat    = 265
	sysRenameat2 = 316

	atRemovedir     = 0x200
	renameNoreplace = 1
)

// entry is the latest that the guest did to a name, and whether that is now a file's name, a
// folder's, or a removed one's. It is nil if the guest did nothing, or nothing is left of
// it.
func (f *files) entry(path string) (*inode, uint64) {
	for n := f.log.Get(&f.made); n > 0; n-- {
		if i := f.inodes[n-1]; i.path == path {
			if link := f.log.Get(&i.linked); link != nameless {
				return i, link
			}
		}
	}
	return nil, nameless
}

// named is the file or folder of a path, of those that the guest made or may write. It is
// nil for none, and removed if the guest has removed a file of that name.
func (f *files) named(path string) (*inode, uint64) {
	i, link := f.entry(path)
	if link == removed {
		return nil, removed
	}
	if i != nil {
		if n := f.log.Get(&i.same); n != 0 {
			return f.inodes[n-1], link
		}
	}
	return i, link
}

// touched reports whether the guest has made, written or removed what has a name.
func (f *files) touched(path string) bool {
	_, link := f.entry(path)
	return link != nameless
}

// folder reports whether a path is a folder that the guest made.
func (f *files) folder(path string) bool {
	_, link := f.entry(path)
	return link == folder
}

// lookUp is the file of a path, one of the user's too, which may be written from now on; nil
// for none.
func (f *files) lookUp(path string) *inode {
	own, link := f.named(path)
	i, known := f.byPath[path]
	if own != nil || link == removed || !known {
		return own
	}
	own, _ = f.makeFile(path, named, ownMode)
	if own.from = f.known[i].content; own.from == nil {
		own.from = []byte{}
	}
	f.log.Init(&own.size, uint64(len(own.from)))
	return own
}

// index is a file's place.
func (f *files) index(i *inode) (n uint64) {
	for f.inodes[n] != i {
		n++
	}
	return n
}

// systemFolders are there on every machine. Others are where the guest makes them, or has
// files from the beginning on.
var systemFolders = map[string]bool{
	"/": true, "/bin": true, "/boot": true, "/dev": true, "/dev/shm": true, "/etc": true, "/home": true, "/lib": true, "/media": true, "/mnt": true,
	"/opt": true, "/proc": true, "/root": true, "/run": true, "/sbin": true, "/srv": true, "/sys": true, "/tmp": true, "/usr": true, "/usr/local": true,
	"/var": true, "/var/lib": true, "/var/log": true, "/var/run": true, "/var/tmp": true,
}

// isFolder reports whether a path is a folder, the host's or one that the guest made.
func (f *files) isFolder(p string) bool {
	_, link := f.entry(p)
	return link == folder || link != named && (systemFolders[p] || f.hasBelow(p))
}

// placeless is the error of making something in a folder that isn't there; 0 if it is.
func (f *files) placeless(p string) uint64 {
	dir := path.Dir(p)
	if f.isFolder(dir) {
		return 0
	}
	for ; !f.isFolder(dir); dir = path.Dir(dir) {
		_, link := f.entry(dir)
		if _, known := f.byPath[dir]; link == named || known && link != removed {
			return enotdir
		}
	}
	return enoent
}

// unname takes a name away from what has it.
func (f *files) unname(path string) {
	i, link := f.entry(path)
	if i != nil && link != removed {
		f.log.Set(&i.linked, nameless)
	}
	if _, known := f.byPath[path]; known && link != removed {
		f.makeFile(path, removed, 0)
	}
}

// name gives a file one more name.
func (f *files) name(i *inode, path string) {
	n := f.index(i)
	alias, _ := f.makeFile(path, named, 0)
	f.log.Set(&alias.same, n+1)
}

// empty reports whether a folder has no files and folders of the guest's.
func (f *files) empty(path string) bool {
	for _, i := range f.inodes[:f.log.Get(&f.made)] {
		if link := f.log.Get(&i.linked); (link == named || link == folder) && strings.HasPrefix(i.path, path+"/") {
			return false
		}
	}
	return !f.hasBelow(path)
}

// paths are the paths of a call; the second is "" if it has only one. relative is a path that
// begins at an open folder, "" for none.
func (c *call) paths() (first, second, relative string, ok bool) {
	type place struct{ folder, path uint64 }
	const here = ^uint64(99) // AT_FDCWD
	places := []place{{here, c.a[0]}}
	switch c.nr {
	case sysRename, sysLink:
		places = append(places, place{here, c.a[1]})
	case sysMkdirat, sysUnlinkat:
		places = []place{{c.a[0], c.a[1]}}
	case sysRenameat, sysRenameat2, sysLinkat:
		places = []place{{c.a[0], c.a[1]}, {c.a[2], c.a[3]}}
	}
	var list [2]string
	for i, at := range places {
		p, readable := c.k.user.path(at.path)
		if !readable {
			return "", "", "", false
		}
		if list[i] = p; int32(at.folder) != atFDCWD && !strings.HasPrefix(p, "/") {
			relative = p
		}
	}
	return list[0], list[1], relative, true
}

// pathFlags are the flags of a call on names that are not modelled.
func (c *call) pathFlags() uint64 {
	switch c.nr {
	case sysUnlinkat:
		return c.a[2] &^ atRemovedir
	case sysRenameat2:
		return c.a[4] &^ renameNoreplace
	case sysLinkat:
		return c.a[4]
	}
	return 0
}

// planPaths is the plan of the calls on names.
func planPaths(c *call, p *kernel.Plan) {
	first, second, relative, ok := c.paths()
	closed := ""
	for _, path := range []string{second, first} {
		if path != "" && !c.k.files.writable(clean(path)) {
			closed = path
		}
	}
	renames := c.nr == sysRename || c.nr == sysRenameat || c.nr == sysRenameat2
	switch {
	case !ok:
		planFiles(c, p)
	case c.pathFlags() != 0:
		invalid(p, fmt.Sprintf("%s with flags %#x is not modelled", p.Name, c.pathFlags()))
	case relative != "":
		invalid(p, fmt.Sprintf("%s(%q) relative to a directory is not modelled", p.Name, relative))
	case closed != "":
		invalid(p, fmt.Sprintf("%s(%q) is not modelled: "+writesFiles, p.Name, closed))
	case renames && (c.k.files.folder(clean(first)) || c.k.files.hasBelow(clean(first))):
		invalid(p, fmt.Sprintf("%s(%q) of a directory is not modelled", p.Name, first))
	default:
		planFiles(c, p)
	}
}

func doUnlink(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	path, _, _, ok := c.paths()
	switch {
	case !ok:
		return efault
	case c.nr == sysUnlinkat && c.a[2] == atRemovedir:
		return c.rmdir(clean(path))
	}
	path = clean(path)
	if c.k.files.folder(path) || !c.k.files.touched(path) && c.k.files.hasBelow(path) {
		return eisdir
	}
	_, known := c.k.files.byPath[path]
	if f, link := c.k.files.named(path); f == nil && (!known || link == removed) {
		return enoent
	}
	c.k.files.unname(path)
	return 0
}

// doRename is rename, renameat and renameat2.
func doRename(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	from, to, _, ok := c.paths()
	if !ok {
		return efault
	}
	from, to = clean(from), clean(to)
	f := c.k.files.lookUp(from)
	if f == nil {
		return enoent
	}
	if errno := c.k.files.placeless(to); errno != 0 {
		return errno
	}
	there := c.k.files.lookUp(to)
	folder := c.k.files.folder(to) || there == nil && c.k.files.hasBelow(to)
	switch {
	case (there != nil || folder) && c.nr == sysRenameat2 && c.a[4] == renameNoreplace:
		return eexist
	case strings.HasPrefix(from, to+"/"): // the folder that it lies in
		return enotempty
	case folder:
		return eisdir
	case there == f:
		return 0 // also of two names of one file
	}
	c.k.files.unname(to)
	c.k.files.unname(from)
	c.k.files.name(f, to)
	return 0
}

// doLink is link and linkat.
func doLink(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	from, to, _, ok := c.paths()
	if !ok {
		return efault
	}
	from, to = clean(from), clean(to)
	switch f := c.k.files.lookUp(from); {
	case c.k.files.folder(from) || f == nil && c.k.files.hasBelow(from):
		return eperm
	case f == nil:
		return enoent
	case c.k.files.lookUp(to) != nil || c.k.files.folder(to) || c.k.files.hasBelow(to):
		return eexist
	default:
		if errno := c.k.files.placeless(to); errno != 0 {
			return errno
		}
		c.k.files.name(f, to)
	}
	return 0
}

// doMkdir is mkdir and mkdirat.
func doMkdir(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	path, _, _, ok := c.paths()
	if !ok {
		return efault
	}
	path = clean(path)
	if c.k.files.lookUp(path) != nil || c.k.files.folder(path) || c.k.files.hasBelow(path) {
		return eexist
	}
	if errno := c.k.files.placeless(path); errno != 0 {
		return errno
	}
	mode := c.a[1]
	if c.nr == sysMkdirat {
		mode = c.a[2]
	}
	c.k.files.makeFile(path, folder, c.k.files.permitted(mode&0o1777))
	return 0
}

func doRmdir(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	path, _, _, ok := c.paths()
	if !ok {
		return efault
	}
	return c.rmdir(clean(path))
}

func (c *call) rmdir(path string) uint64 {
	_, link := c.k.files.entry(path)
	_, known := c.k.files.byPath[path]
	switch {
	case link == named || link == nameless && known:
		return enotdir
	case link != folder && !c.k.files.hasBelow(path):
		return enoent
	case !c.k.files.empty(path):
		return enotempty
	}
	c.k.files.unname(path)
	return 0
}
