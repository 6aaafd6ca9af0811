package linux

import (
	"fmt"
	"strings"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// Files that the guest makes or writes. They are in memory, and gone at the end of each
// execution: those of memfd_create and beneath /dev/shm (shm_open) always, all others where
// the user says so (Config.WriteFiles).
//
// All calls on files are operations on one resource, so their words share the address of the
// open files. A file that is mapped shared lies in the guest's memory as long as it is. There
// is one place, which each map of it gets, and calls read and write there.
type inode struct {
	path   string // the path that it was made by, "" for none
	linked effect.Word
	mode   effect.Word // permissions
	same   effect.Word // index+1 of the file that this is another name of; 0: it is a file
	size   effect.Word
	bytes  cells
	from   []byte // a file's of the user, that isn't written so far; see own
	copied effect.Word

	base effect.Word // where it is mapped, 0 for nowhere
	span effect.Word // bytes from there on
	prot effect.Word
	maps effect.Word // how many maps
}

// Values of linked.
const (
	nameless = iota // it has no name, or none any more
	named
	removed // a file of the user's had the name, and has it no more
	folder
)

const (
	shmPrefix   = "/dev/shm/"
	maxFileSize = 64 << 20
	oExcl       = 0x80
	oAppend     = 0x400
)

// makeFile is a new, empty file.
func (f *files) makeFile(path string, link, mode uint64) (*inode, uint64) {
	n := f.log.Get(&f.made)
	for int(n) >= len(f.inodes) {
		w := effect.At(wordFiles, 0)
		f.inodes = append(f.inodes, &inode{linked: w, mode: w, same: w, size: w, copied: w, base: w, span: w, prot: w, maps: w})
	}
	made := f.inodes[n]
	made.path, made.from = path, nil
	for _, w := range []*effect.Word{&made.same, &made.size, &made.copied, &made.base, &made.span, &made.prot, &made.maps} {
		f.log.Init(w, 0)
	}
	f.log.Init(&made.mode, mode)
	f.log.Set(&made.linked, link)
	f.log.Set(&f.made, n+1)
	return made, n
}

// inode is the file that a use has open, nil where the guest hasn't made or written it.
func (f *files) inode(use uint64) *inode {
	if use < useFile {
		return nil
	}
	if n := f.log.Get(&f.descriptions[use-useFile].inode); n != 0 {
		return f.inodes[n-1]
	}
	return nil
}

// writable reports whether the guest may make and write a file.
func (f *files) writable(path string) bool {
	return f.writes || strings.HasPrefix(path, shmPrefix)
}

// content is n bytes of a file from at on, as far as it goes.
func (f *inode) content(log *effect.Log, at, n uint64) []byte {
	size := log.Get(&f.size)
	at = min(at, size)
	n = min(n, size-at)
	if base := log.Get(&f.base); base != 0 {
		p := make([]byte, n)
		log.Read(base+at, p[:min(n, log.Get(&f.span)-min(at, log.Get(&f.span)))])
		return p
	}
	if f.from != nil && log.Get(&f.copied) == 0 {
		return f.from[at : at+n]
	}
	return f.bytes.read(at, 0, n)
}

// write writes to a file. It doesn't grow beyond what landgo keeps.
func (f *inode) write(log *effect.Log, at uint64, p []byte) {
	f.own(log)
	if base := log.Get(&f.base); base != 0 {
		log.Write(base+at, p)
	} else {
		f.bytes.write(log, at, 0, p)
	}
	log.Set(&f.size, max(log.Get(&f.size), at+uint64(len(p))))
}

// own copies what a file was given.
func (f *inode) own(log *effect.Log) {
	if f.from != nil && log.Get(&f.copied) == 0 {
		f.bytes.write(log, 0, 0, f.from)
	}
	log.Set(&f.copied, 1)
}

// resize is truncate. Bytes that come again are zero.
func (s *space) resize(f *inode, size uint64) {
	f.own(s.log)
	was := s.log.Get(&f.size)
	if size < was {
		zero := make([]byte, was-size)
		if base := s.log.Get(&f.base); base != 0 {
			s.log.Write(base+size, zero)
		} else {
			f.bytes.write(s.log, size, 0, zero)
		}
	}
	s.log.Set(&f.size, size)
	if base := s.log.Get(&f.base); base != 0 && abi.PageUp(size) != abi.PageUp(was) {
		s.openPages(f, base)
	}
}

// openPages gives access to the pages of a mapped file that the file has, and to no others:
// Linux sends SIGBUS to threads that touch them.
func (s *space) openPages(f *inode, base uint64) {
	span := s.log.Get(&f.span)
	has := min(abi.PageUp(s.log.Get(&f.size)), span)
	if has > 0 {
		s.protect(base, has, guestProt(s.log.Get(&f.prot)))
	}
	if has < span {
		s.protect(base+has, span-has, 0)
	}
}

// pastEnd reports whether an address is in a mapped file, in a page behind the file's end. A call
// that moves the end changes the pages: it is in order with each access there.
func (s *space) pastEnd(addr uint64) bool {
	f := s.mappedFile(addr&^(abi.PageSize-1), abi.PageSize)
	return f != nil && addr >= f.base.Peek()+abi.PageUp(f.size.Peek())
}

// PastEnd is that for reports.
func (k *Kernel) PastEnd(addr uint64) bool { return k.space.pastEnd(addr) }

// openFile opens a file that the guest makes or may write.
func (c *call) openFile(o *kernel.Outcome, want *opening) uint64 {
	path := clean(want.path)
	if c.k.files.folder(path) {
		if want.flags&oAccmode != 0 || want.flags&oCreat != 0 {
			return eisdir
		}
		o.Gap, o.Invalid = kernel.GapCall, fmt.Sprintf("open(%q) of a directory is not modelled", want.path)
		return 0
	}
	f := c.k.files.lookUp(path)
	switch {
	case f != nil && want.flags&(oCreat|oExcl) == oCreat|oExcl:
		return eexist
	case f == nil && want.flags&oCreat == 0:
		return enoent
	}
	_, fd, ok := c.k.files.free(0)
	if !ok {
		return emfile
	}
	if f == nil {
		if errno := c.k.files.placeless(path); errno != 0 {
			return errno
		}
		f, _ = c.k.files.makeFile(path, named, c.k.files.permitted(want.mode))
	}
	if want.flags&oTrunc != 0 { // to read only, too
		c.k.space.resize(f, 0)
	}
	c.install(fd, c.k.files.openInode(c.k.files.index(f), want.flags), want.flags&oCloexec)
	return uint64(fd)
}

// openInode is the use of a new description of a file.
func (f *files) openInode(n, flags uint64) uint64 {
	use := f.newDescription()
	d := f.descriptions[use-useFile]
	f.log.Init(&d.inode, n+1)
	f.log.Init(&d.status, flags&(oAccmode|oNonblock|oAppend))
	return use
}

func planMemfd(c *call, p *kernel.Plan) {
	if c.a[1]&^3 != 0 && !unknownMemfd(c.a[1]) {
		invalid(p, hexReason("memfd_create with flags %#x is not modelled", c.a[1]))
		return
	}
	planFiles(c, p)
}

// unknownMemfd reports whether Linux 6 knows no such flags: five, and a size of pages with huge ones.
func unknownMemfd(flags uint64) bool {
	const huge, all = 4, 0x1f
	return flags&huge == 0 && flags&0xffffffff&^all != 0 || flags&memfdUnknown != 0
}

// memfdUnknown are the bits between the flags and the size of a huge page.
const memfdUnknown = 0x3ffffe0

func doMemfd(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	if unknownMemfd(c.a[1]) {
		return einval
	}
	if _, ok := c.k.user.path(c.a[0]); !ok {
		return efault
	}
	flags := uint64(2)
	if c.a[1]&1 != 0 {
		flags |= oCloexec
	}
	return c.openNameless(flags, 0o777)
}

// permitted are permissions without those that umask takes.
func (f *files) permitted(mode uint64) uint64 { return mode & 0o7777 &^ f.log.Get(&f.umask) }

// openNameless is an open file of no name: memfd_create, and open with O_TMPFILE.
func (c *call) openNameless(flags, mode uint64) uint64 {
	_, fd, ok := c.k.files.free(0)
	if !ok {
		return emfile
	}
	_, n := c.k.files.makeFile("", nameless, mode)
	c.install(fd, c.k.files.openInode(n, flags), flags&oCloexec)
	return uint64(fd)
}

// writeInode is write, writev and pwrite64 to a file.
func (c *call) writeInode(o *kernel.Outcome, use uint64, f *inode, vec []buffer) uint64 {
	k, d := c.k, c.k.files.descriptions[use-useFile]
	c.op(onResource(resourceFiles, 1))
	if !c.opened(use, oWronly) {
		return ebadf
	}
	text := c.gather(vec)
	if len(text) == 0 && size(vec) > 0 {
		return efault
	}
	at := c.get(&d.offset)
	if c.placed() {
		at = c.a[3]
	}
	if c.get(&d.status)&oAppend != 0 {
		at = c.get(&f.size)
	}
	end := at + uint64(len(text))
	if int64(at) < 0 {
		return einval
	}
	if base := c.get(&f.base); end > maxFileSize || base != 0 && end > c.get(&f.span) {
		o.Gap, o.Invalid = kernel.GapCall, "the guest writes a file of more than 64 MiB, or past the part of it that is mapped"
		return 0
	}
	if len(text) == 0 {
		return 0
	}
	f.write(&k.log, at, text)
	if !c.placed() {
		c.set(&d.offset, end)
	}
	return uint64(len(text))
}

func doFtruncate(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	use := c.k.files.use(c.int32(0))
	f := c.k.files.inode(use)
	switch {
	case use == useClosed:
		return ebadf
	case f == nil || int64(c.a[1]) < 0 || !c.opened(use, oWronly):
		return einval
	case c.a[1] > maxFileSize:
		o.Gap, o.Invalid = kernel.GapCall, "ftruncate to more than 64 MiB is not modelled"
		return 0
	case c.get(&f.base) != 0 && c.a[1] > c.get(&f.span):
		o.Gap, o.Invalid = kernel.GapCall, "ftruncate of a file past the part of it that is mapped is not modelled"
		return 0
	}
	c.k.space.resize(f, c.a[1])
	return 0
}

const sysPwrite64 = 18

// doSync: nothing outlives the guest.
func doSync(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 0))
	use := c.k.files.use(c.int32(0))
	switch {
	case use == useClosed:
		return ebadf
	case c.k.files.inode(use) == nil:
		return einval
	}
	return 0
}

// mapShared maps a file that the guest may write, where it is mapped already or at a place
// of its own.
func (c *call) mapShared(o *kernel.Outcome, f *inode, status, size, prot uint64) uint64 {
	k, offset := c.k, c.a[5]
	stop := func(why string) uint64 {
		o.Gap, o.Invalid = kernel.GapCall, why
		return 0
	}
	switch {
	case c.a[1] == 0 || offset&(abi.PageSize-1) != 0:
		return einval
	case status&oAccmode == oWronly || prot&2 != 0 && status&oAccmode != oRdwr:
		return eacces
	case c.a[3]&(mapFixed|mapFixedNoreplace) != 0:
		return stop("mmap of a shared file at an address of the guest's choice is not modelled")
	case offset > maxFileSize || size > maxFileSize:
		return stop("mmap of more than 64 MiB of a shared file is not modelled")
	}
	base := c.get(&f.base)
	if base != 0 {
		switch {
		case offset+size > c.get(&f.span):
			return stop("a shared file that is mapped again with more of it is not modelled: map all of it at first")
		case prot != c.get(&f.prot):
			return stop("a shared file that is mapped twice with different permissions is not modelled")
		}
		c.set(&f.maps, c.get(&f.maps)+1)
		return base + offset
	}
	span := max(abi.PageUp(c.get(&f.size)), offset+size)
	text := f.content(&k.log, 0, span)
	f.own(&k.log)
	if !c.fits(span) {
		return enomem
	}
	if base = k.space.give(c.t, span, guestProt(prot)); failed(base) {
		return base
	}
	k.log.FillFresh(base, text)
	c.set(&f.base, base)
	c.set(&f.span, span)
	c.set(&f.prot, prot)
	c.set(&f.maps, 1)
	if has := abi.PageUp(c.get(&f.size)); has < span {
		k.log.ProtectFresh(base+has, span-has, emu.NoAccess)
	}
	o.Mapped = kernel.Pages{Addr: base, Size: span}
	o.Kept = span
	return base + offset
}

// mappedFile is the file that lies in [addr, addr+size), nil for none.
func (s *space) mappedFile(addr, size uint64) *inode {
	for i := range s.files.made.Peek() {
		f := s.files.inodes[i]
		if base := f.base.Peek(); base != 0 && addr < base+f.span.Peek() && base < saturatingAdd(addr, size) {
			return f
		}
	}
	return nil
}

// unmapFile is munmap of one map of a file. It reports whether others are left.
func (c *call) unmapFile(o *kernel.Outcome, f *inode, addr, size uint64) (left bool) {
	c.op(onResource(resourceFiles, 1))
	if n := c.get(&f.maps); n > 1 {
		c.set(&f.maps, n-1)
		return true
	}
	base, span := c.get(&f.base), c.get(&f.span)
	if addr > base || addr+size < base+span {
		o.Gap, o.Invalid = kernel.GapCall, "munmap of a part of a shared file is not modelled"
		return true
	}
	text := f.content(&c.k.log, 0, c.get(&f.size))
	c.set(&f.base, 0)
	c.set(&f.maps, 0)
	f.bytes.write(&c.k.log, 0, 0, text)
	return false
}
