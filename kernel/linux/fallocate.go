package linux

import (
	"landgo/internal/abi"
	"landgo/kernel"
)

// Modes of fallocate.
const (
	keepSize   = 0x01
	punchHole  = 0x02
	otherModes = 0x78 // of some kinds of files
)

// doFallocate makes room in a file, or a hole: bytes in a hole are zero. Room that is kept for later
// can't be told from none. The order of the errors is that of vfs_fallocate.
func doFallocate(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	use := c.k.files.use(c.int32(0))
	mode, at, size := c.a[1]&0xffffffff, c.a[2], c.a[3]
	invalid := func(why string) uint64 {
		o.Gap, o.Invalid = kernel.GapCall, why
		return 0
	}
	f, end := c.k.files.inode(use), saturatingAdd(at, size)
	obj, _ := c.object(use)
	switch {
	case use == useClosed:
		return ebadf
	case int64(at) < 0 || int64(size) <= 0:
		return einval
	case mode&^(keepSize|punchHole|otherModes) != 0 || mode == punchHole:
		return eopnotsupp
	case mode&otherModes != 0:
		return invalid("fallocate with a mode other than FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE is not modelled")
	case use == useStdin || use >= useFile && !c.opened(use, oWronly):
		return ebadf
	case use < useFile || obj != nil && obj.kind.Peek() == objPipe:
		return espipe
	case f == nil:
		return enodev
	case int64(end) < 0:
		return efbig
	case mode&punchHole != 0:
		if has := c.get(&f.size); at < has {
			f.write(&c.k.log, at, make([]byte, min(end, has)-at))
		}
		return 0
	case end > maxFileSize:
		return invalid("fallocate of more than 64 MiB is not modelled")
	case mode&keepSize != 0 || end <= c.get(&f.size):
		return 0
	case c.get(&f.base) != 0 && abi.PageUp(end) > c.get(&f.span):
		return invalid("fallocate of a file past the part of it that is mapped is not modelled")
	}
	c.k.space.resize(f, end)
	return 0
}
