package linux

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"landgo/internal/trace"
	"landgo/kernel"
)

// Threads' names as files: /proc/self/task/NUMBER/comm, by which both libcs name other
// threads (pthread_setname_np), and /proc/self/comm, the process's.

// commOf is the thread whose name a path is, of those that live. The process has its first thread's
// name, after that has ended too; a thread's number names it like a process.
func (c *call) commOf(path string) (t *thread, is bool) {
	rest, ok := strings.CutSuffix(path, "/comm")
	if !ok {
		return nil, false
	}
	switch rest {
	case "/proc/self", fmt.Sprintf("/proc/%d", firstNumber):
		return c.k.roster.threads[0], true
	case "/proc/thread-self":
		return c.t, true
	}
	number, ok := strings.CutPrefix(rest, "/proc/self/task/")
	if !ok {
		if number, ok = strings.CutPrefix(rest, fmt.Sprintf("/proc/%d/task/", firstNumber)); !ok {
			number, ok = strings.CutPrefix(rest, "/proc/")
		}
	}
	n, err := strconv.ParseUint(number, 10, 32)
	if !ok || err != nil {
		return nil, false
	}
	return c.k.roster.numbered(n), true
}

// openComm opens a thread's name.
func (c *call) openComm(t *thread, flags uint64) uint64 {
	if t == nil {
		return enoent
	}
	_, fd, ok := c.k.files.free(0)
	if !ok {
		return emfile
	}
	use := c.k.files.newDescription()
	d := c.k.files.descriptions[use-useFile]
	c.k.log.Init(&d.comm, uint64(t.id)+1)
	c.k.log.Init(&d.status, flags&oAccmode)
	c.install(fd, use, flags&oCloexec)
	return uint64(fd)
}

// comm is the thread whose name a use has open, nil for none.
func (c *call) comm(use uint64) *thread {
	if use < useFile {
		return nil
	}
	if n := c.get(&c.k.files.descriptions[use-useFile].comm); n != 0 {
		return c.k.roster.threads[n-1]
	}
	return nil
}

func (c *call) commText(t *thread) []byte {
	name := pair(c.get(&t.name[0]), c.get(&t.name[1]))
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	return append(name, '\n')
}

// writeComm names a thread. A name is cut to what there is room for.
func (c *call) writeComm(o *kernel.Outcome, t *thread, vec []buffer) uint64 {
	c.op(onResource(resourceFiles, 1))
	if !c.opened(c.k.files.use(c.int32(0)), oWronly) {
		return ebadf
	}
	text := c.gather(vec)
	if uint64(len(text)) < min(size(vec), nameSize-1) {
		return efault
	}
	c.setName(t, text)
	return size(vec)
}

func (c *call) setName(t *thread, text []byte) {
	var b [nameSize]byte
	copy(b[:nameSize-1], text)
	c.set(&t.name[0], binary.LittleEndian.Uint64(b[:8]))
	c.set(&t.name[1], binary.LittleEndian.Uint64(b[8:]))
	if t != c.t {
		c.op(trace.Op{Kind: trace.OpSyscall, Obj: resourceFiles, Arg: 1})
	}
}
