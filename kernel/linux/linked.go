package linux

import (
	"path"
	"slices"
	"strings"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
)

// A dynamically linked program. The kernel maps the program and its dynamic linker, as
// Linux does (fs/binfmt_elf.c), and begins in the dynamic linker, which opens the
// libraries and maps them with mmap. Each library has its place from the start: the image
// has names and code by it. An mmap of a library that isn't mapped gives that place,
// which is a function of the library, and never of threads or of other maps.
//
// The code of libraries is in memory from the start, without permissions: the machine
// doesn't let a run change code. mmap gives the permissions, and fills in the rest.

// bindNow has the dynamic linker look up all functions at the start. Otherwise it does so
// when a function is first called, by whichever thread, and writes the address for the
// others. That is a race of its own, and none of the program's.
const bindNow = "LD_BIND_NOW=1"

// cachePath and muslPath are where dynamic linkers learn in which folders libraries are.
const (
	cachePath = "/etc/ld.so.cache"
	muslPath  = "/etc/ld-musl-x86_64.path"
)

// environment has the program's environment variables.
func (d *loader) environment() []string {
	if d.img.Interpreter() == nil {
		return d.cfg.Env
	}
	return append(slices.Clone(d.cfg.Env), bindNow)
}

// begins is the first instruction, and where the dynamic linker is (AT_BASE).
func (d *loader) begins() (entry, base uint64) {
	if i := d.img.Interpreter(); i != nil {
		return i.Entry, i.Base
	}
	return d.img.Entry, 0
}

// mapsAtStart reports whether the kernel itself maps a segment.
func (d *loader) mapsAtStart(s *elffile.Segment) bool {
	p := d.img.PartAt(s.Addr)
	return p == nil || p == d.img.Parts[0] || p == d.img.Interpreter()
}

// addParts makes files of the libraries, and of what says where they are.
func (f *files) addParts(img *elffile.File) {
	if img.Interpreter() == nil {
		return
	}
	folders := []string{}
	for _, p := range img.Parts[1:] {
		f.add(file{path: clean(p.Path), content: p.Data, part: p})
		if dir := path.Dir(p.Path); !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	f.add(file{path: cachePath, content: libraryCache(img.Parts[1:])})
	f.add(file{path: muslPath, content: []byte(strings.Join(folders, "\n") + "\n")})
}

// lacks reports whether the program asks for a library that it wasn't loaded with.
func (d *loader) lacks(p string) bool {
	return d.img.Interpreter() != nil && d.cfg.Lacks != nil && strings.Contains(path.Base(p), ".so") && p != "/etc/ld.so.preload" && d.cfg.Lacks(p)
}

// unlinked reports whether the program is static, calls dlopen, and asks for a library. It gets
// none: one that dlopen loads brings a dynamic linker and a C library of its own.
func (d *loader) unlinked(p string) bool {
	if d.img.Interpreter() != nil || !strings.Contains(path.Base(p), ".so") || strings.HasPrefix(p, "/etc/") {
		return false
	}
	_, calls := d.img.Symbol("dlopen")
	return calls
}

// part is the library that an mmap of a file maps at the library's own place; nil for
// any other mmap. A library that is mapped already can be mapped once more, as a file.
func (c *call) part(size uint64) *elffile.File {
	if c.a[3]&mapAnonymous != 0 || c.a[3]&mapType != mapPrivate {
		return nil
	}
	use := c.k.files.use(c.int32(4))
	if use < useFile {
		return nil
	}
	p := c.k.files.of(use).part
	if p == nil {
		return nil
	}
	room := p.End() - p.Base
	if c.a[3]&(mapFixed|mapFixedNoreplace) != 0 {
		if at := c.a[0]; at < p.Base || size > room || at-p.Base > room-size {
			return nil
		}
		return p
	}
	if size > room || c.k.log.InMap(p.Base, abi.PageSize) {
		return nil
	}
	return p
}

// partAddr is where the mmap maps it.
func (c *call) partAddr(p *elffile.File) uint64 {
	if c.a[3]&(mapFixed|mapFixedNoreplace) != 0 {
		return c.a[0]
	}
	return p.Base
}

// fillPart puts a library's content into its pages, but for code, which is there.
func (s *space) fillPart(addr, size uint64, content []byte) {
	for at := addr; at < addr+size; {
		end := addr + size
		code := false
		for _, r := range s.img.Code {
			if at >= r.Lo && at < r.Hi {
				end, code = min(end, r.Hi), true
			} else if r.Lo > at {
				end = min(end, r.Lo)
			}
		}
		if !code {
			n := uint64(len(content))
			s.log.Overlay(at, end-at, content[min(at-addr, n):min(end-addr, n)])
		}
		at = end
	}
}
