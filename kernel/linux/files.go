package linux

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"landgo/kernel"
)

// The guest sees standard input, output and error, the files that the user
// named (read in full before the start, read-only), and a few that libc asks
// for. All else doesn't exist. Nothing can be created or written.
//
// All calls on descriptors depend on each other (one resource), but for writes
// to standard output and error, see capture.go, and for questions whose answer
// never changes.

const (
	maxDescriptors = 1024
	exePath        = "/guest"
	mapsPath       = "/proc/self/maps"
)

// file is a file's unchanging part.
type file struct {
	path    string
	content []byte
	char    bool // a character device: reads give its content, then the end
	maps    bool // content is made when it's opened
}

// description is an open file: what descriptors made by dup share.
type description struct {
	kind   uint64 // index+1 in files.known; 0 for none
	offset uint64
	text   []byte // the content of maps
}

// descriptor is a slot of the table.
type descriptor struct {
	use     uint64 // 0: closed; 1, 2, 3: standard input, output, error; above: 4 + description
	cloexec uint64
}

const (
	useClosed = iota
	useStdin
	useStdout
	useStderr
	useFile
)

type files struct {
	known  []file
	byPath map[string]int
	stdin  []byte

	table        []*descriptor // grows only
	descriptions []*description
	opened       uint64 // descriptions given out; state
	stdinRead    uint64 // state
	redirected   uint64 // state: a standard descriptor was closed or replaced
}

// open reads the user's files.
func (f *files) open(cfg *Config) error {
	f.byPath = map[string]int{}
	f.stdin = cfg.Stdin
	f.add(file{path: mapsPath, maps: true})
	f.add(file{path: "/dev/null", char: true})
	f.add(file{path: "/sys/devices/system/cpu/online", content: []byte("0-1\n")})
	f.add(file{path: "/sys/devices/system/cpu/possible", content: []byte("0-1\n")})
	for _, guest := range slices.Sorted(maps.Keys(cfg.Files)) {
		content, err := os.ReadFile(cfg.Files[guest])
		if err != nil {
			return fmt.Errorf("cannot read a file for the guest: %w", err)
		}
		f.add(file{path: clean(guest), content: content})
	}
	for _, guest := range slices.Sorted(maps.Keys(cfg.Contents)) {
		f.add(file{path: clean(guest), content: cfg.Contents[guest]})
	}
	f.table = []*descriptor{{use: useStdin}, {use: useStdout}, {use: useStderr}}
	return nil
}

func (f *files) add(file file) {
	f.byPath[file.path] = len(f.known)
	f.known = append(f.known, file)
}

// clean makes a path absolute: the working directory is /.
func clean(p string) string { return path.Clean("/" + p) }

// descriptor is the open slot of fd, or nil.
func (f *files) descriptor(fd int32) *descriptor {
	if fd < 0 || int(fd) >= len(f.table) || f.table[fd].use == useClosed {
		return nil
	}
	return f.table[fd]
}

// description is what fd has open, nil for the standard three.
func (f *files) description(d *descriptor) *description {
	if d.use < useFile {
		return nil
	}
	return f.descriptions[d.use-useFile]
}

// text is the content of an open file.
func (f *files) text(d *description) []byte {
	if d.text != nil {
		return d.text
	}
	return f.known[d.kind-1].content
}

// content is what mmap maps of fd.
func (f *files) content(fd int32) ([]byte, uint64) {
	d := f.descriptor(fd)
	if d == nil {
		return nil, ebadf
	}
	if d.use < useFile {
		return nil, enodev
	}
	return f.text(f.description(d)), 0
}

// free gives the lowest free descriptor from least on, or false.
func (f *files) free(least int) (int, bool) {
	for fd := least; fd < maxDescriptors; fd++ {
		for fd >= len(f.table) {
			f.table = append(f.table, new(descriptor))
		}
		if f.table[fd].use == useClosed {
			return fd, true
		}
	}
	return 0, false
}

// Flags of open.
const (
	oAccmode   = 3
	oCreat     = 0x40
	oTrunc     = 0x200
	oDirectory = 0x10000
	oCloexec   = 0x80000
	oPath      = 0x200000

	atFDCWD     = -100
	atEmptyPath = 0x1000
)

// opening is a decoded open or openat.
type opening struct {
	path  string
	ok    bool // the path could be read
	flags uint64
}

func (c *call) opening() opening {
	at, flags := c.a[0], c.a[1]
	if c.nr == sysOpenat {
		at, flags = c.a[1], c.a[2]
	}
	p, ok := c.k.path(at)
	return opening{p, ok, flags}
}

func planOpen(c *call, p *kernel.Plan) {
	o := c.opening()
	writes := o.flags&oAccmode != 0 || o.flags&(oCreat|oTrunc) != 0
	switch {
	case o.ok && writes && clean(o.path) != "/dev/null":
		invalid(p, fmt.Sprintf("%s(%q) for writing is not modelled", p.Name, o.path))
	case o.ok && c.nr == sysOpenat && c.int32(0) != atFDCWD && !strings.HasPrefix(o.path, "/"):
		invalid(p, fmt.Sprintf("openat(%q) relative to a directory is not modelled", o.path))
	case o.ok && o.flags&(oPath|oDirectory) != 0:
		invalid(p, fmt.Sprintf("%s(%q) of a directory is not modelled", p.Name, o.path))
	default:
		planFiles(c, p)
	}
}

// planFiles is the plan of a call that changes descriptors or offsets.
func planFiles(c *call, p *kernel.Plan) { c.event(p, onResource(resourceFiles, 1)) }

func doOpen(c *call, o *kernel.Outcome) uint64 {
	k, f := c.k, &c.k.files
	c.op(onResource(resourceFiles, 1))
	want := c.opening()
	if !want.ok {
		return efault
	}
	i, found := f.byPath[clean(want.path)]
	if !found {
		return enoent
	}
	fd, ok := f.free(0)
	if !ok {
		return emfile
	}
	for int(f.opened) >= len(f.descriptions) {
		f.descriptions = append(f.descriptions, new(description))
	}
	d := f.descriptions[f.opened]
	// A description that a rewound execution used is used again.
	d.text = nil
	if f.known[i].maps {
		d.text = k.maps()
	}
	k.set(&d.kind, uint64(i)+1)
	k.set(&d.offset, 0)
	k.set(&f.table[fd].use, useFile+f.opened)
	k.set(&f.table[fd].cloexec, want.flags&oCloexec)
	k.set(&f.opened, f.opened+1)
	return uint64(fd)
}

// maps is /proc/self/maps as far as it can be the same in every execution: the
// image, the break, the first thread's stack.
func (k *Kernel) maps() []byte {
	var b strings.Builder
	line := func(lo, hi uint64, perm, name string) {
		fmt.Fprintf(&b, "%08x-%08x %s 00000000 00:00 0 %s\n", lo, hi, perm, name)
	}
	for i := range k.img.Segments {
		s := &k.img.Segments[i]
		perm := []byte("---p")
		for j, on := range [...]bool{s.Read, s.Write, s.Exec} {
			if on {
				perm[j] = "rwx"[j]
			}
		}
		line(s.Addr, s.Addr+s.MemSize, string(perm), exePath)
	}
	if end := pageUp(k.space.brk); end > k.space.brkLo {
		line(k.space.brkLo, end, "rw-p", "[heap]")
	}
	line(k.space.stack.lo, k.space.stack.hi, "rw-p", "[stack]")
	return []byte(b.String())
}

func doClose(c *call, o *kernel.Outcome) uint64 {
	d := c.k.files.descriptor(c.int32(0))
	c.op(onResource(resourceFiles, 1))
	if d == nil {
		return ebadf
	}
	if c.a[0] <= 2 {
		c.k.set(&c.k.files.redirected, 1)
	}
	c.k.set(&d.use, useClosed)
	return 0
}

// doDup is dup, dup2 and dup3.
func doDup(c *call, o *kernel.Outcome) uint64 {
	k, f := c.k, &c.k.files
	c.op(onResource(resourceFiles, 1))
	from := f.descriptor(c.int32(0))
	if from == nil {
		return ebadf
	}
	if c.nr == sysDup {
		return c.dup(from, 0, 0)
	}
	to := c.int32(1)
	switch {
	case to < 0 || to >= maxDescriptors:
		return ebadf
	case c.a[0] == c.a[1] && c.nr == sysDup3:
		return einval
	case c.a[0] == c.a[1]:
		return uint64(to)
	}
	for int(to) >= len(f.table) {
		f.table = append(f.table, new(descriptor))
	}
	if to <= 2 {
		k.set(&f.redirected, 1)
	}
	k.set(&f.table[to].use, from.use)
	k.set(&f.table[to].cloexec, 0)
	if c.nr == sysDup3 {
		k.set(&f.table[to].cloexec, c.a[2]&oCloexec)
	}
	return uint64(to)
}

func (c *call) dup(from *descriptor, least int, cloexec uint64) uint64 {
	fd, ok := c.k.files.free(least)
	if !ok {
		return emfile
	}
	c.k.set(&c.k.files.table[fd].use, from.use)
	c.k.set(&c.k.files.table[fd].cloexec, cloexec)
	return uint64(fd)
}

// Commands of fcntl.
const (
	fDupfd        = 0
	fGetfd        = 1
	fSetfd        = 2
	fGetfl        = 3
	fDupfdCloexec = 1030
)

func planFcntl(c *call, p *kernel.Plan) {
	switch c.a[1] {
	case fDupfd, fGetfd, fSetfd, fGetfl, fDupfdCloexec:
		planFiles(c, p)
	default:
		invalid(p, hexReason("fcntl(%d) is not modelled", c.a[1]))
	}
}

func doFcntl(c *call, o *kernel.Outcome) uint64 {
	d := c.k.files.descriptor(c.int32(0))
	c.op(onResource(resourceFiles, 1))
	if d == nil {
		return ebadf
	}
	switch c.a[1] {
	case fDupfd, fDupfdCloexec:
		if least := c.int32(2); least >= 0 && least < maxDescriptors {
			return c.dup(d, int(least), (c.a[1]/fDupfdCloexec)*oCloexec)
		}
		return einval
	case fGetfd:
		return min(d.cloexec, 1)
	case fSetfd:
		c.k.set(&d.cloexec, c.a[2]&1*oCloexec)
		return 0
	}
	if d.use == useStdout || d.use == useStderr {
		return 1 // O_WRONLY
	}
	return 0
}

func doLseek(c *call, o *kernel.Outcome) uint64 {
	f := &c.k.files
	c.op(onResource(resourceFiles, 1))
	d := f.descriptor(c.int32(0))
	if d == nil {
		return ebadf
	}
	if d.use < useFile {
		return espipe
	}
	open := f.description(d)
	from := map[uint64]uint64{0: 0, 1: open.offset, 2: uint64(len(f.text(open)))}
	base, ok := from[c.a[2]]
	if to := base + c.a[1]; ok && int64(to) >= 0 {
		c.k.set(&open.offset, to)
		return to
	}
	return einval
}
