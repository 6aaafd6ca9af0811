package linux

import (
	"encoding/binary"
	"fmt"
	"strings"

	"landgo/emu"
	"landgo/kernel"
)

// Kinds and permissions of files.
const (
	modeChar    = 0o020666
	modeRegular = 0o100444
	modePipe    = 0o010600
	modeFolder  = 0o040000
	modeDir     = modeFolder | 0o555
	modeFile    = 0o100000
	ownMode     = 0o644 // of a file of the user's that the guest writes
	modeSocket  = 0o140777

	firstInode  = 1 << 19 // of files that the guest makes
	firstObject = 1 << 20 // of objects

	statSize  = 144
	statRdev  = 40
	blockSize = 4096
)

// stat is struct stat of x86-64.
func stat(inode uint64, mode uint32, size uint64) []byte {
	b := make([]byte, statSize)
	le := binary.LittleEndian
	le.PutUint64(b[0:], 1) // device
	le.PutUint64(b[8:], inode)
	le.PutUint64(b[16:], 1) // links
	le.PutUint32(b[24:], mode)
	le.PutUint32(b[28:], userID)
	le.PutUint32(b[32:], userID)
	le.PutUint64(b[48:], size)
	le.PutUint64(b[56:], blockSize)
	le.PutUint64(b[64:], (size+blockSize-1)/blockSize*(blockSize/512))
	for off := 72; off <= 104; off += 16 { // access, modification, change
		le.PutUint64(b[off:], epoch/second)
	}
	return b
}

// statDescriptor: the standard ones are pipes, so that stdio buffers in full
// and prints at the end, as it does when a program's output is captured.
func (c *call) statDescriptor(fd int32) ([]byte, uint64) {
	use := c.k.files.use(fd)
	switch {
	case use == useClosed:
		return nil, ebadf
	case use < useFile:
		return stat(use, modePipe, 0), 0
	}
	if o, _ := c.object(use); o != nil {
		mode := uint32(0o600)
		switch {
		case o.kind.Peek() == objPipe:
			mode = modePipe
		case o.isSocket():
			mode = modeSocket
		}
		return stat(firstObject+o.n, mode, 0), 0
	}
	if f := c.k.files.inode(use); f != nil {
		return c.statInode(f), 0
	}
	if c.comm(use) != nil {
		return stat(firstInode-1, 0o100644, 0), 0
	}
	return c.k.statKnown(int(c.get(&c.k.files.description(use).kind) - 1)), 0
}

func (c *call) statInode(f *inode) []byte {
	n := c.k.files.index(f)
	b := stat(firstInode+n, modeFile|uint32(c.get(&f.mode)), c.get(&f.size))
	names := uint64(0)
	for _, i := range c.k.files.inodes[:c.get(&c.k.files.made)] {
		if (i == f || c.get(&i.same) == n+1) && c.get(&i.linked) == named {
			names++
		}
	}
	binary.LittleEndian.PutUint64(b[16:], names)
	return b
}

func (k *Kernel) statKnown(i int) []byte {
	f := &k.files.known[i]
	mode := uint32(modeRegular)
	if f.device != noDevice {
		mode = modeChar
	}
	b := stat(uint64(i)+10, mode, uint64(len(f.content)))
	binary.LittleEndian.PutUint64(b[statRdev:], deviceNumbers[f.device])
	return b
}

func (c *call) statPath(addr uint64) ([]byte, uint64) {
	k := c.k
	p, ok := k.user.path(addr)
	switch {
	case !ok:
		return nil, efault
	case p == "":
		return nil, enoent
	}
	p = clean(p)
	switch f, link := c.k.files.named(p); {
	case link == folder:
		return stat(firstInode+c.k.files.index(f), modeFolder|uint32(c.get(&f.mode)), 0), 0
	case f != nil:
		return c.statInode(f), 0
	case link == removed:
		return nil, enoent
	}
	if i, found := k.files.byPath[p]; found {
		return k.statKnown(i), 0
	}
	if k.files.hasBelow(p) {
		return stat(1, modeDir, 0), 0
	}
	return nil, enoent
}

// planStat: a descriptor's state and kind depend on others' opens and closes;
// the standard ones stay unless redirected.
func planStat(c *call, p *kernel.Plan) {
	if c.a[0] > 2 || c.get(&c.k.files.redirected) != 0 {
		c.event(p, onResource(resourceFiles, 0))
	}
}

func planStatat(c *call, p *kernel.Plan) {
	if path, ok := c.k.user.path(c.a[1]); ok && path == "" {
		planStat(c, p)
	} else if ok && c.int32(0) != atFDCWD && !strings.HasPrefix(path, "/") {
		invalid(p, fmt.Sprintf("newfstatat(%q) relative to a directory is not modelled", path))
	}
}

func (c *call) statResult(at uint64, b []byte, errno uint64) uint64 {
	if errno != 0 {
		return errno
	}
	return c.k.user.copyOut(at, b)
}

func doFstat(c *call, o *kernel.Outcome) uint64 {
	b, errno := c.statDescriptor(c.int32(0))
	return c.statResult(c.a[1], b, errno)
}

func doStat(c *call, o *kernel.Outcome) uint64 {
	b, errno := c.statPath(c.a[0])
	return c.statResult(c.a[1], b, errno)
}

func doStatat(c *call, o *kernel.Outcome) uint64 {
	path, ok := c.k.user.path(c.a[1])
	if ok && path == "" && c.a[3]&atEmptyPath != 0 {
		b, errno := c.statDescriptor(c.int32(0))
		return c.statResult(c.a[2], b, errno)
	}
	b, errno := c.statPath(c.a[1])
	return c.statResult(c.a[2], b, errno)
}

// hasBelow reports whether a path is a folder of files that are there from the beginning on.
func (f *files) hasBelow(p string) bool {
	for known := range f.byPath {
		if p == "/" || strings.HasPrefix(known, p+"/") {
			return true
		}
	}
	return false
}

// statx: the fields that stat has.

const (
	statxSize  = 256
	statxBasic = 0x7ff
)

func planStatx(c *call, p *kernel.Plan) {
	path, ok := c.k.user.path(c.a[1])
	if ok && path == "" {
		planStat(c, p)
	} else if ok && c.int32(0) != atFDCWD && !strings.HasPrefix(path, "/") {
		invalid(p, fmt.Sprintf("statx(%q) relative to a directory is not modelled", path))
	}
}

func doStatx(c *call, o *kernel.Outcome) uint64 {
	path, ok := c.k.user.path(c.a[1])
	var b []byte
	var errno uint64
	if ok && path == "" && c.a[2]&atEmptyPath != 0 {
		b, errno = c.statDescriptor(c.int32(0))
	} else {
		b, errno = c.statPath(c.a[1])
	}
	if errno != 0 {
		return errno
	}
	le := binary.LittleEndian
	out := make([]byte, statxSize)
	le.PutUint32(out, statxBasic)
	le.PutUint32(out[4:], blockSize)
	le.PutUint32(out[16:], uint32(le.Uint64(b[16:]))) // links
	copy(out[20:28], b[28:36])                        // owner
	le.PutUint16(out[28:], uint16(le.Uint32(b[24:]))) // mode
	copy(out[32:48], append(b[8:16:16], b[48:56]...)) // inode, size
	copy(out[48:56], b[64:72])                        // blocks
	rdev := le.Uint64(b[statRdev:])
	le.PutUint32(out[128:], uint32(rdev>>8))          // of a device, its major number
	le.PutUint32(out[132:], uint32(rdev&0xff))        // and its minor one
	le.PutUint32(out[136:], 0)                        // device
	le.PutUint32(out[140:], uint32(le.Uint64(b[0:]))) // its minor number
	if !c.k.log.Can(c.a[4], statxSize, emu.ProtWrite) {
		return efault
	}
	return c.k.user.copyOut(c.a[4], out)
}

// doAccess: everything that exists can be read, and written where the guest writes files.
func doAccess(c *call, o *kernel.Outcome) uint64 {
	at, mode, flags := c.a[0], c.a[1], uint64(0)
	if c.nr != sysAccess {
		at, mode = c.a[1], c.a[2]
	}
	if c.nr == sysFaccessat2 {
		flags = c.a[3]
	}
	if mode&0xffffffff&^7 != 0 || flags&0xffffffff&^(atEaccess|atSymlinkNofollow|atEmptyPath) != 0 {
		return einval
	}
	if _, errno := c.statPath(at); errno != 0 {
		return errno
	}
	path, _ := c.k.user.path(at)
	path = clean(path)
	folder := c.k.files.folder(path) || c.k.files.hasBelow(path)
	switch {
	case mode&2 != 0 && !c.k.files.writable(path) && !c.k.files.isDevice(path):
		return eacces
	case mode&1 != 0 && !folder: // to execute
		return eacces
	}
	return 0
}

func doReadlink(c *call, o *kernel.Outcome) uint64 {
	at, buf, size := c.a[0], c.a[1], c.a[2]
	if c.nr == sysReadlinkat {
		at, buf, size = c.a[1], c.a[2], c.a[3]
	}
	p, ok := c.k.user.path(at)
	switch {
	case !ok:
		return efault
	case int64(size) <= 0:
		return einval
	case clean(p) != "/proc/self/exe" && clean(p) != fmt.Sprintf("/proc/%d/exe", firstNumber):
		if _, errno := c.statPath(at); errno == 0 {
			return einval // not a link
		}
		return enoent
	}
	link := []byte(exePath)
	link = link[:min(size, uint64(len(link)))]
	if c.k.user.copyOut(buf, link) != 0 {
		return efault
	}
	return uint64(len(link))
}

// doGetcwd: the working directory is /.
func doGetcwd(c *call, o *kernel.Outcome) uint64 {
	if c.a[1] < 2 {
		return erange
	}
	if c.k.user.copyOut(c.a[0], []byte("/\x00")) != 0 {
		return efault
	}
	return 2
}
