package linux

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// Calls that copy the guest's memory in several steps (scheduler/copies.go).

var _ kernel.Copier = (*Kernel)(nil)

// Divide and Whole implement kernel.Copier.
func (k *Kernel) Divide(read []kernel.Part) { k.log.Divide(read) }
func (k *Kernel) Whole() []kernel.Part      { return k.log.Whole() }

// Kinds of what Linux locks while it copies.
const (
	holdsFlow        = (iota + 1) << 32 // a pipe's mutex, or that of a socket's readers
	holdsDescription                    // an open file's position
	holdsInode                          // a file that is written
	holdsStandard
)

// Holds implements kernel.Copier, by the locks that pipe_write, unix_stream_recvmsg, ksys_read and
// generic_file_write_iter take, and those for which other calls wait, though they copy nothing. A call
// that sends to a socket copies before it takes one, and one that opens a file its name.
func (k *Kernel) Holds(id trace.TID) (h kernel.Hold) {
	k.begin(id, k.host.Regs(id))
	c := &k.call
	row := c.row()
	if row == nil {
		return h
	}
	reads, place, inode, pipe := false, false, false, false
	switch row.name {
	case "read", "readv", "recvfrom", "recvmsg":
		reads, place, pipe = true, true, true
	case "preadv2":
		reads, place, pipe = !c.placed(), !c.placed(), !c.placed()
	case "write", "writev":
		place, inode, pipe = true, true, true
	case "pwrite64", "pwritev", "ftruncate", "fallocate":
		inode = true
	case "pwritev2":
		place, inode, pipe = !c.placed(), true, !c.placed()
	case "lseek":
		place = true
	case "fcntl":
		pipe = c.a[1] == fSetpipeSize || c.a[1] == fGetpipeSize
	case "ioctl":
		pipe = c.a[1]&0xffffffff == fionread
	case "pread64", "preadv", "sendto", "sendmsg":
	case "open", "openat":
		if n := c.cutsOff(); n != 0 {
			h.Late, h.Locks[1] = true, holdsInode|n
		}
		return h
	default:
		return h
	}
	use := c.subject(c.int32(0))
	h.File = use
	_, o, end := c.on(c.int32(0))
	switch {
	case o != nil:
		if reads && o.isSocket() || pipe && o.kind.Peek() == objPipe {
			h.Locks[0] = holdsFlow | o.at[o.reads(end)]
		}
		return h
	case (use == useStdout || use == useStderr) && !k.cfg.ObserveStdout:
		return h // no thread can tell the order of two
	case use < useFile:
		h.Locks[0] = holdsStandard | use
		return h
	}
	if place {
		h.Locks[0] = holdsDescription | use
	}
	if n := k.files.descriptions[use-useFile].inode.Peek(); n != 0 && inode {
		h.Locks[1] = holdsInode | n
	}
	return h
}

// cutsOff is the index+1 of the file that an open would truncate, 0 for none: it waits for that file's
// lock.
func (c *call) cutsOff() uint64 {
	files, want := &c.k.files, c.opening()
	path := clean(want.path)
	_, _, room := files.free(0)
	switch {
	case !want.ok, want.flags&oTrunc == 0, want.flags&oTmpfile == oTmpfile, want.flags&(oCreat|oExcl) == oCreat|oExcl, !room, files.folder(path):
		return 0
	}
	f, _ := files.named(path)
	if f == nil {
		return 0 // no call has it open for writing
	}
	return files.index(f) + 1
}
