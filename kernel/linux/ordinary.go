package linux

import (
	"encoding/binary"

	"landgo/internal/abi"
	"landgo/kernel"
)

// Calls that ordinary programs make on their way, and that say little: their ids, memory
// that isn't to be swapped, advice.

func doZero(c *call, o *kernel.Outcome) uint64 { return 0 }

// doProcessGroup: the process is alone in its group and session.
func doProcessGroup(c *call, o *kernel.Outcome) uint64 { return firstNumber }

func doGetpgid(c *call, o *kernel.Outcome) uint64 {
	if pid := c.int32(0); pid != 0 && pid != firstNumber {
		return esrch
	}
	return firstNumber
}

// doGetresid is getresuid and getresgid.
func doGetresid(c *call, o *kernel.Outcome) uint64 {
	for _, at := range c.a[:3] {
		if c.k.user.copyOut(at, binary.LittleEndian.AppendUint32(nil, userID)) != 0 {
			return efault
		}
	}
	return 0
}

// doUmask: no file outlives the guest, and its own may do with its files what it likes.
func doUmask(c *call, o *kernel.Outcome) uint64 {
	old := c.get(&c.k.files.umask)
	c.set(&c.k.files.umask, c.a[0]&0o777)
	return old
}

// doMlock is mlock, munlock and mlock2: there is enough memory.
func doMlock(c *call, o *kernel.Outcome) uint64 {
	if from, to := c.a[0]&^(abi.PageSize-1), abi.PageUp(c.a[0]+c.a[1]); to > from && !c.k.space.inGuest(from, to-from) && !c.k.space.inHeap(from, to-from) {
		return enomem
	}
	return 0
}

func doMsync(c *call, o *kernel.Outcome) uint64 {
	if c.a[0]&(abi.PageSize-1) != 0 || c.a[2]&^7 != 0 || c.a[2]&5 == 5 {
		return einval
	}
	if size := abi.PageUp(c.a[1]); size > 0 && !c.k.space.isMapped(c.a[0], size) {
		return enomem
	}
	return 0
}

func doFadvise(c *call, o *kernel.Outcome) uint64 {
	use := c.k.files.use(c.int32(0))
	switch obj, _ := c.object(use); {
	case use == useClosed:
		return ebadf
	case use < useFile, obj != nil:
		return espipe
	}
	return 0
}

func doCloseRange(c *call, o *kernel.Outcome) uint64 {
	c.op(onResource(resourceFiles, 1))
	first, last := c.a[0]&0xffffffff, c.a[1]&0xffffffff
	if first > last {
		return einval
	}
	for fd := first; fd <= min(last, maxDescriptors-1); fd++ {
		if fd >= uint64(len(c.k.files.table)) || c.k.files.use(int32(fd)) == useClosed {
			continue
		}
		if c.a[2]&4 != 0 { // CLOSE_RANGE_CLOEXEC
			c.set(&c.k.files.slot(int(fd)).cloexec, oCloexec)
		} else {
			c.close(int(fd))
		}
	}
	return 0
}

func planCloseRange(c *call, p *kernel.Plan) {
	if c.a[2]&^6 != 0 {
		invalid(p, hexReason("close_range with flags %#x is not modelled", c.a[2]))
		return
	}
	planFiles(c, p)
}

func doUname(c *call, o *kernel.Outcome) uint64 {
	const field = 65
	b := make([]byte, 6*field)
	for i, s := range [...]string{"Linux", "landgo", "6.1.0", "#1", "x86_64", "(none)"} {
		copy(b[i*field:], s)
	}
	return c.k.user.copyOut(c.a[0], b)
}

func doUserID(c *call, o *kernel.Outcome) uint64 { return userID }

// doGetppid: the process that started landgo is none of the guest's.
func doGetppid(c *call, o *kernel.Outcome) uint64 { return 1 }

// doRseq: both libcs do without restartable sequences.
func doRseq(c *call, o *kernel.Outcome) uint64 { return enosys }
