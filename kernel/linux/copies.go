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
// generic_file_write_iter take. A call that sends to a socket copies before it takes one.
func (k *Kernel) Holds(id trace.TID) (keys [2]uint64) {
	k.begin(id, k.host.Regs(id))
	c := &k.call
	row := c.row()
	if row == nil {
		return keys
	}
	reads := false
	switch row.name {
	case "read", "readv", "recvfrom", "recvmsg":
		reads = true
	case "write", "writev", "pwrite64":
	default:
		return keys
	}
	fd := c.int32(0)
	if _, o, end := c.on(fd); o != nil {
		if reads && o.isSocket() || o.kind.Peek() == objPipe {
			keys[0] = holdsFlow | o.at[o.reads(end)]
		}
		return keys
	}
	use := k.files.use(fd)
	switch {
	case use == useStdout && !k.cfg.ObserveStdout || use == useStderr && !k.cfg.ObserveStdout:
		return keys // no thread can tell the order of two
	case use < useFile:
		keys[0] = holdsStandard | use
		return keys
	}
	if row.name != "pwrite64" {
		keys[0] = holdsDescription | use
	}
	if n := k.files.descriptions[use-useFile].inode.Peek(); n != 0 && !reads {
		keys[1] = holdsInode | n
	}
	return keys
}
