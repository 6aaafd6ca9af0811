package linux

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"landgo/internal/image/elffile"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// The guest sees standard input, output and error, the files that the user
// named (read in full before the start, read-only), and a few that libc asks
// for. All else doesn't exist. Files that can be created and written are in inode.go.
//
// All calls on descriptors are operations on one resource and so depend on each
// other. Exceptions are writes to standard output and error, see capture.go,
// and questions whose answer never changes. The property of a descriptor that
// such a call reads is a word of its own.

const (
	maxDescriptors = 1024
	exePath        = "/guest"
	mapsPath       = "/proc/self/maps"
)

// file is a file's unchanging part.
type file struct {
	path    string
	content []byte
	device  device
	maps    bool // content is made when it's opened
	// part is, of a library, what is loaded of it.
	part *elffile.File
}

// description is an open file: descriptors made by dup share it.
type description struct {
	kind   effect.Word // index+1 in files.known; 0 for none
	offset effect.Word
	text   []byte // the content of maps

	use    uint64      // its own
	object effect.Word // index+1 in objects; 0 for a file
	inode  effect.Word // index+1 of a file that the guest made or may write
	comm   effect.Word // id+1 of the thread whose name it is
	end    effect.Word // the object's
	status effect.Word // O_NONBLOCK, and how it may be used
	refs   effect.Word // descriptors, and calls that sleep
}

// descriptor is a slot of the table.
type descriptor struct {
	use     effect.Word // 0: closed; 1, 2, 3: standard input, output, error; above: 4 + description
	cloexec effect.Word
}

const (
	useClosed = iota
	useStdin
	useStdout
	useStderr
	useFile
)

// files are the guest's, its descriptors and what they mean.
type files struct {
	log    *effect.Log  // the door to the words below
	limit  *effect.Word // of descriptors
	writes bool         // the guest may make and write files anywhere
	known  []file
	byPath map[string]int
	stdin  []byte

	table        []*descriptor // grows only
	descriptions []*description
	opened       effect.Word // descriptions given out
	inodes       []*inode    // grows only
	made         effect.Word // how many of them count
	umask        effect.Word
	stdinRead    effect.Word
	redirected   effect.Word // a standard descriptor was closed or replaced
}

// open reads the user's files, and takes in what the image is linked with.
func (f *files) open(cfg *Config, img *elffile.File) error {
	f.byPath = map[string]int{}
	f.stdin, f.writes = cfg.Stdin, cfg.WriteFiles
	f.add(file{path: mapsPath, maps: true})
	for d := devNull; int(d) < len(deviceNames); d++ {
		f.add(file{path: "/dev/" + deviceNames[d], device: d})
	}
	f.add(file{path: "/sys/devices/system/cpu/online", content: []byte("0-1\n")})
	f.add(file{path: "/sys/devices/system/cpu/possible", content: []byte("0-1\n")})
	f.addParts(img)
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
	f.umask = effect.At(wordFiles, 0o022)
	f.opened, f.made, f.stdinRead, f.redirected = effect.At(wordFiles, 0), effect.At(wordFiles, 0), effect.At(wordFiles, 0), effect.At(wordOutput, 0)
	for _, use := range []uint64{useStdin, useStdout, useStderr} {
		f.slot(len(f.table)).use = effect.At(wordDescriptors+effect.Step*uint64(len(f.table)-1), use)
	}
	return nil
}

func (f *files) add(file file) {
	f.byPath[file.path] = len(f.known)
	f.known = append(f.known, file)
}

// slot is the table's entry for fd, below maxDescriptors.
func (f *files) slot(fd int) *descriptor {
	for fd >= len(f.table) {
		at := wordDescriptors + effect.Step*uint64(len(f.table))
		f.table = append(f.table, &descriptor{effect.At(at, useClosed), effect.At(at, 0)})
	}
	return f.table[fd]
}

// clean makes a path absolute: the working directory is /.
func clean(p string) string { return path.Clean("/" + p) }

// use is the use of fd, useClosed for none.
func (f *files) use(fd int32) uint64 {
	if fd < 0 || fd >= maxDescriptors {
		return useClosed
	}
	return f.log.Get(&f.slot(int(fd)).use)
}

// description is the open file of a use, nil for the standard three.
func (f *files) description(use uint64) *description {
	if use < useFile {
		return nil
	}
	return f.descriptions[use-useFile]
}

// of is the file that a use of at least useFile has open.
// It has nothing where that is none of the files that there are from the beginning on.
func (f *files) of(use uint64) *file {
	if n := f.log.Get(&f.description(use).kind); n > 0 {
		return &f.known[n-1]
	}
	return &file{}
}

// text is the content of an open file.
func (c *call) text(use uint64) []byte {
	if f := c.k.files.inode(use); f != nil {
		return f.content(&c.k.log, 0, maxFileSize)
	}
	if t := c.comm(use); t != nil {
		return c.commText(t)
	}
	if d := c.k.files.description(use); d.text != nil {
		return d.text
	}
	return c.k.files.of(use).content
}

// content is the content of fd for mmap.
func (c *call) content(fd int32) ([]byte, uint64) {
	use := c.k.files.use(fd)
	switch {
	case use == useClosed:
		return nil, ebadf
	case use < useFile:
		return nil, enodev
	}
	if o, _ := c.object(use); o != nil {
		return nil, enodev
	}
	if d := c.device(use); d != noDevice && d != devZero {
		return nil, enodev
	}
	return c.text(use), 0
}

// free gives the lowest free descriptor from least on, or false.
func (f *files) free(least int) (*descriptor, int, bool) {
	limit := int(f.log.Get(f.limit))
	for fd := least; fd < limit; fd++ {
		if d := f.slot(fd); f.log.Get(&d.use) == useClosed {
			return d, fd, true
		}
	}
	return nil, 0, false
}

// Flags of open.
const (
	oRdonly    = 0
	oWronly    = 1
	oRdwr      = 2
	oAccmode   = 3
	oCreat     = 0x40
	oTrunc     = 0x200
	oDirectory = 0x10000
	oTmpfile   = 0x410000
	oCloexec   = 0x80000
	oPath      = 0x200000

	atFDCWD           = -100
	atEmptyPath       = 0x1000
	atEaccess         = 0x200
	atSymlinkNofollow = 0x100
)

// opened reports whether a description that is no object was opened for reading (oRdonly) or
// writing (oWronly).
func (c *call) opened(use, way uint64) bool {
	mode := c.get(&c.k.files.descriptions[use-useFile].status) & oAccmode
	return mode == way || mode == oRdwr
}

// opening is a decoded open or openat.
type opening struct {
	path  string
	ok    bool // the path could be read
	flags uint64
	mode  uint64 // of a file that it makes
}

func (c *call) opening() opening {
	at, flags, mode := c.a[0], c.a[1], c.a[2]
	if c.nr == sysOpenat {
		at, flags, mode = c.a[1], c.a[2], c.a[3]
	}
	p, ok := c.k.user.path(at)
	return opening{p, ok, flags, mode}
}

func planOpen(c *call, p *kernel.Plan) {
	o := c.opening()
	if _, comm := c.commOf(clean(o.path)); o.ok && (comm || c.outputNamed(clean(o.path), o.flags) != useClosed) {
		planFiles(c, p)
		return
	}
	writes := o.flags&oAccmode != 0 || o.flags&(oCreat|oTrunc) != 0
	switch {
	case o.ok && writes && !c.k.files.isDevice(clean(o.path)) && !c.k.files.writable(clean(o.path)):
		invalid(p, fmt.Sprintf("%s(%q) for writing is not modelled: "+writesFiles, p.Name, o.path))
	case o.ok && c.nr == sysOpenat && c.int32(0) != atFDCWD && !strings.HasPrefix(o.path, "/"):
		invalid(p, fmt.Sprintf("openat(%q) relative to a directory is not modelled", o.path))
	case o.ok && o.flags&(oPath|oDirectory) != 0 && o.flags&oTmpfile != oTmpfile:
		invalid(p, fmt.Sprintf("%s(%q) of a directory is not modelled", p.Name, o.path))
	default:
		planFiles(c, p)
	}
}

// planFiles is the plan of a call that changes descriptors or offsets.
func planFiles(c *call, p *kernel.Plan) { c.event(p, onResource(resourceFiles, 1)) }

func doOpen(c *call, o *kernel.Outcome) uint64 {
	f := &c.k.files
	c.op(onResource(resourceFiles, 1))
	want := c.opening()
	if !want.ok {
		return efault
	}
	if t, comm := c.commOf(clean(want.path)); comm {
		return c.openComm(t, want.flags)
	}
	if use := c.outputNamed(clean(want.path), want.flags); use != useClosed {
		return c.dup(use, 0, want.flags&oCloexec)
	}
	i, found := f.byPath[clean(want.path)]
	if want.flags&oTmpfile == oTmpfile {
		if errno := c.k.files.placeless(clean(want.path) + "/."); errno != 0 {
			return errno
		}
		return c.openNameless(want.flags, c.k.files.permitted(want.mode))
	}
	if f.touched(clean(want.path)) || c.k.files.writable(clean(want.path)) && !(found && (f.known[i].device != noDevice || f.known[i].maps)) && (want.flags&oAccmode != 0 || want.flags&(oCreat|oTrunc) != 0) {
		return c.openFile(o, &want)
	}
	if !found {
		if c.k.loader.lacks(clean(want.path)) {
			o.Invalid, o.Gap = clean(want.path), kernel.GapLibrary
		} else if c.k.loader.unlinked(clean(want.path)) {
			o.Gap, o.Invalid = kernel.GapCall, fmt.Sprintf("dlopen(%q) in a static program is not modelled: build the program without -static", path.Base(want.path))
		}
		return enoent
	}
	_, n, ok := c.k.files.free(0)
	if !ok {
		return emfile
	}
	use := c.k.files.newDescription()
	d := f.descriptions[use-useFile]
	if f.known[i].maps {
		d.text = c.maps()
	}
	c.set(&d.kind, uint64(i)+1)
	c.k.log.Init(&d.status, want.flags&(oAccmode|oNonblock))
	c.install(n, use, want.flags&oCloexec)
	return uint64(n)
}

// newDescription is the use of a new open file. One that a rewound execution used is used
// again.
func (f *files) newDescription() uint64 {
	opened := f.log.Get(&f.opened)
	for int(opened) >= len(f.descriptions) {
		n := uint64(len(f.descriptions))
		w := effect.At(descriptionWord(n), 0)
		f.descriptions = append(f.descriptions, &description{kind: effect.At(wordFiles, 0), offset: effect.At(wordFiles, 0),
			use: useFile + n, object: w, inode: w, comm: w, end: w, status: w, refs: w})
	}
	d := f.descriptions[opened]
	d.text = nil
	for _, w := range []*effect.Word{&d.object, &d.inode, &d.comm, &d.end, &d.status, &d.refs} {
		f.log.Init(w, 0) // no other thread can know it
	}
	f.log.Set(&d.kind, 0)
	f.log.Set(&d.offset, 0)
	f.log.Set(&f.opened, opened+1)
	return useFile + opened
}

// install makes a closed descriptor mean an open file.
func (c *call) install(fd int, use, cloexec uint64) {
	slot := c.k.files.slot(fd)
	c.set(&slot.use, use)
	c.set(&slot.cloexec, cloexec)
	c.k.objects.holds(use)
}

func doClose(c *call, o *kernel.Outcome) uint64 {
	fd := c.int32(0)
	c.op(onResource(resourceFiles, 1))
	if c.k.files.use(fd) == useClosed {
		return ebadf
	}
	c.close(int(fd))
	return 0
}

// close has an open descriptor mean nothing.
func (c *call) close(fd int) {
	if fd <= 2 {
		c.set(&c.k.files.redirected, 1)
	}
	slot := c.k.files.slot(fd)
	use := c.get(&slot.use)
	c.set(&slot.use, useClosed)
	c.k.objects.drops(use)
}

// doDup is dup, dup2 and dup3.
func doDup(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	use := c.k.files.use(c.int32(0))
	if c.nr == sysDup3 && c.a[2]&^oCloexec != 0 {
		return einval
	}
	if use == useClosed {
		return ebadf
	}
	if c.nr == sysDup {
		return c.dup(use, 0, 0)
	}
	to := c.int32(1)
	switch {
	case to < 0 || uint64(to) >= c.get(c.k.files.limit):
		return ebadf
	case c.int32(0) == to && c.nr == sysDup3:
		return einval
	case c.int32(0) == to:
		return uint64(to)
	}
	if to <= 2 {
		c.set(&c.k.files.redirected, 1)
	}
	c.k.objects.holds(use)
	if c.k.files.use(to) != useClosed {
		c.close(int(to))
	}
	slot := c.k.files.slot(int(to))
	c.set(&slot.use, use)
	c.set(&slot.cloexec, 0)
	if c.nr == sysDup3 {
		c.set(&slot.cloexec, c.a[2]&oCloexec)
	}
	return uint64(to)
}

func (c *call) dup(use uint64, least int, cloexec uint64) uint64 {
	_, fd, ok := c.k.files.free(least)
	if !ok {
		return emfile
	}
	c.install(fd, use, cloexec)
	return uint64(fd)
}

// seekMax is the last way to seek (SEEK_HOLE).
const seekMax = 4

func doLseek(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	use := c.k.files.use(c.int32(0))
	switch {
	case use == useClosed:
		return ebadf
	case uint32(c.a[2]) > seekMax:
		return einval
	case use < useFile:
		return espipe
	}
	if o, _ := c.object(use); o != nil {
		if o.kind.Peek() == objPipe || o.isSocket() {
			return espipe
		}
		return 0 // eventfd and its kin stay where they are
	}
	if c.device(use) != noDevice {
		return 0
	}
	open := c.k.files.description(use)
	from := map[uint64]uint64{0: 0, 1: c.get(&open.offset), 2: uint64(len(c.text(use)))}
	base, ok := from[c.a[2]]
	if to := base + c.a[1]; ok && int64(to) >= 0 {
		c.set(&open.offset, to)
		return to
	}
	return einval
}
