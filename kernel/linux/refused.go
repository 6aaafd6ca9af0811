package linux

import (
	"landgo/internal/abi"
	"landgo/kernel"
)

// Calls that Linux refuses, or has nothing to do for, before it reaches a lock, by what the
// caller's bytes and the kernel's state are. From the sources of Linux 6; where its versions
// differ, those that take no lock count. A pointer to nowhere isn't among them, unless it is no
// user's address. Its fault takes the lock of the address space, and returns by an instruction
// that waits for the buffer.

// kernelHalf is where addresses begin that are refused without a fault.
const kernelHalf = 1 << 47

// Numbers of Linux's interface that only refused calls have.
const (
	clockSGI        = 10           // a number without a clock since Linux 4
	maxEpollEvents  = 1 << 31 / 12 // sizeof(struct epoll_event)
	atSymlinkFollow = 0x400
	renameNoReplace = 1
	renameExchange  = 2
	renameWhiteout  = 4
	msAsync         = 1
	msInvalidate    = 2
	msSync          = 4
)

// cannotWait reports whether no timer and no sleep is of the clock: those that are only read.
func cannotWait(clock int32) bool {
	return clock >= abi.ClockMonotonicRaw && clock < abi.ClockBoottime || clock == clockSGI
}

// refused reports whether the call is such a one.
func (c *call) refused(name string) bool {
	first := c.int32(0)
	noThread := func() bool { return c.whose(c.a[0]&0xffffffff) == nil }
	switch name {
	case "nanosleep":
		return c.wrongTime(c.a[0])
	case "clock_nanosleep": // of no clock, or one that can't be slept by
		return first > lastClock || first == abi.ClockThreadCPUTimeID || cannotWait(first) || c.wrongTime(c.a[2])
	case "setitimer":
		return uint32(c.a[0]) >= itimers || c.a[1] != 0 && (c.wrongTimeval(c.a[1]) || c.wrongTimeval(c.a[1]+16))
	case "getitimer":
		return uint32(c.a[0]) >= itimers
	case "timer_create":
		return first > lastClock || cannotWait(first)
	case "timer_settime":
		return c.posixTimer() == nil || c.a[2] == 0 || c.wrongTime(c.a[2]) || c.wrongTime(c.a[2]+16)
	case "timer_gettime", "timer_getoverrun", "timer_delete":
		return c.posixTimer() == nil
	case "timerfd_create":
		clock := uint32(c.a[0])
		return c.a[1]&^(oNonblock|oCloexec) != 0 || clock > 9 || clock > abi.ClockMonotonic && clock < abi.ClockBoottime
	case "timerfd_settime":
		return c.a[1]&^(tfdAbstime|tfdCancelOnSet) != 0 || c.wrongTime(c.a[2]) || c.wrongTime(c.a[2]+16)
	case "poll":
		return c.wrongPolls() || c.int32(2) == 0 && c.a[1] == 0
	case "ppoll":
		return c.a[3] != 0 && c.a[4] != 8 || c.a[2] != 0 && c.wrongTime(c.a[2]) || c.a[3] == 0 && c.wrongPolls()
	case "select": // microseconds above a million are carried over
		return first < 0 || c.a[4] != 0 && c.k.user.canRead(c.a[4], 16) && int64(c.k.log.Read64(c.a[4])|c.k.log.Read64(c.a[4]+8)) < 0 || c.wrongSets()
	case "pselect6":
		return c.a[4] != 0 && c.wrongTime(c.a[4]) || c.keepsMask() && (first < 0 || c.wrongSets())
	case "epoll_create":
		return first <= 0
	case "epoll_create1":
		return c.a[0]&^oCloexec != 0
	case "epoll_wait", "epoll_pwait", "epoll_pwait2":
		return c.nr == sysEpollPwait2 && c.a[3] != 0 && c.wrongTime(c.a[3]) || (c.nr == sysEpollWait || c.a[4] == 0) && (c.int32(2) <= 0 || c.int32(2) > maxEpollEvents)
	case "signalfd", "signalfd4":
		return c.a[2] != 8 || c.nr != sysSignalfd && c.a[3]&^(oNonblock|oCloexec) != 0 || first != -1 && c.k.files.use(first) == useClosed
	case "pipe2":
		return c.a[1]&^(oNonblock|oCloexec|oDirect|oExcl) != 0
	case "eventfd2":
		return c.a[1]&^(oNonblock|oCloexec|efdSemaphore) != 0
	case "socketpair":
		return c.a[1]&0xfffffff0&^(oNonblock|oCloexec) != 0
	case "memfd_create":
		return unknownMemfd(c.a[1])
	case "ftruncate":
		return int64(c.a[1]) < 0
	case "pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2":
		return c.placed() && int64(c.a[3]) < 0
	case "dup2":
		return first == c.int32(1) || c.tooHigh(c.a[1])
	case "dup3":
		return first == c.int32(1) || c.a[2]&^oCloexec != 0 || c.tooHigh(c.a[1])
	case "close_range":
		return uint32(c.a[0]) > uint32(c.a[1]) || c.a[2]&^6 != 0
	case "open":
		return c.nameless(c.a[0])
	case "openat":
		return c.nameless(c.a[1])
	case "link":
		return !c.isThere(c.a[0], false)
	case "mkdir", "rmdir", "unlink", "rename":
		return c.placeless(c.a[0])
	case "mkdirat":
		return c.placeless(c.a[1])
	case "unlinkat":
		return c.a[2]&^atRemovedir != 0 || c.placeless(c.a[1])
	case "linkat":
		return c.a[4]&^(atSymlinkFollow|atEmptyPath) != 0 || !c.isThere(c.a[1], true)
	case "renameat":
		return c.placeless(c.a[1])
	case "renameat2":
		return c.a[4]&^(renameNoReplace|renameExchange|renameWhiteout) != 0 || c.a[4]&renameExchange != 0 && c.a[4]&(renameNoReplace|renameWhiteout) != 0 || c.placeless(c.a[1])
	case "access", "faccessat", "faccessat2":
		at := 1
		if c.nr != sysAccess {
			at = 2
		}
		return c.a[at]&0xffffffff&^7 != 0
	case "readlink":
		return c.int32(2) <= 0
	case "readlinkat":
		return c.int32(3) <= 0
	case "mmap":
		return c.a[5]&(abi.PageSize-1) != 0 || c.a[3]&mapAnonymous == 0 && c.k.files.use(c.int32(4)) == useClosed
	case "mremap":
		return c.a[0]&(abi.PageSize-1) != 0 || abi.PageUp(c.a[2]) == 0
	case "unknown":
		return true
	case "mprotect", "madvise":
		return name == "madvise" && unknownAdvice(c.a[2]) || name == "mprotect" && c.a[2]&^protKnown != 0 && abi.PageUp(c.a[1]) != 0 || c.a[0]&(abi.PageSize-1) != 0 || c.a[0]+abi.PageUp(c.a[1]) <= c.a[0]
	case "msync":
		return c.a[0]&(abi.PageSize-1) != 0 || c.a[2]&^(msAsync|msInvalidate|msSync) != 0 || c.a[2]&(msAsync|msSync) == msAsync|msSync || c.a[0]+abi.PageUp(c.a[1]) <= c.a[0]
	case "mlock2":
		return c.a[2]&^1 != 0
	case "futex":
		return c.refusedFutex()
	case "get_robust_list":
		return noThread()
	case "rt_sigaction":
		return uint32(c.a[0])-1 >= numSignals-1 || c.a[3] != 8 || c.a[1] != 0 && unblockable&bit(c.a[0]) != 0
	case "rt_sigprocmask": // it only asks, or the mask stays as it is
		mask, errno := c.newMask()
		return mask == c.get(&c.t.blocked) && (errno != efault || c.a[1] >= kernelHalf)
	case "rt_sigpending":
		return c.a[1] > 8
	case "rt_sigsuspend":
		return c.a[1] != 8
	case "rt_sigtimedwait":
		return c.a[3] != 8 || c.a[2] != 0 && c.wrongTime(c.a[2])
	case "sigaltstack":
		return c.keepsStack()
	case "kill": // signal 0 only asks whether the process is there; for a group there is a lock
		return first > 0 && (uint32(c.a[1])-1 >= numSignals-1 || !isOurs(first))
	case "tkill":
		return uint32(c.a[1])-1 >= numSignals-1 || c.k.roster.numbered(uint64(uint32(c.a[0]))) == nil
	case "tgkill":
		return uint32(c.a[2])-1 >= numSignals-1 || first != firstNumber || c.k.roster.numbered(uint64(uint32(c.a[1]))) == nil
	case "rt_sigqueueinfo", "rt_tgsigqueueinfo":
		to := c.aim()
		return to.errno != 0 && to.errno != efault || to.errno == 0 && to.sig == 0
	case "clone3":
		return c.a[1] < 64
	case "getpriority": // of a group, or another user's, is looked up under a lock
		return c.a[0]&0xffffffff != 1 && (c.a[0]&0xffffffff != prioUser || c.a[1]&0xffffffff == 0)
	case "setpriority":
		who := c.whose(c.a[1] & 0xffffffff)
		which := c.a[0] & 0xffffffff
		return which > prioUser || which == prioProcess && (who == nil || max(min(int64(c.int32(2)), 19), -20) <= int64(c.get(&who.traits.nice)))
	case "prctl": // two set a bit by a locked instruction
		return c.a[0] != prSetDumpable && (c.a[0] != prSetNoNewPrivs || c.a[1] != 1) || c.a[0] == prSetDumpable && c.a[1] > 1
	case "sched_setaffinity":
		return noThread()
	case "sched_getaffinity":
		return noThread() || c.a[1] < 8 || c.a[1]&7 != 0
	case "sched_setparam", "sched_setscheduler":
		return noThread() || first < 0 || name == "sched_setscheduler" && c.int32(1) < 0
	case "getrlimit":
		return c.a[0] >= rlimitCount
	case "setrlimit":
		_, at, soft, hard, ok := c.limiting()
		return at != 0 && ok && (c.a[0] >= rlimitCount || soft > hard)
	case "prlimit64":
		return first != 0 && first != firstNumber
	case "getrusage":
		return first < -1 || first > 1
	case "times":
		return c.a[0] == 0
	case "membarrier": // none that isn't announced is made, and none is announced twice
		return unknownFence(c.a[0], c.a[1]) || c.a[0] == fenceQuery || (c.a[0] == fenceAnnounces) == (c.k.fences.Peek() != 0) && c.a[0] != fenceGlobal
	}
	return false
}

// wrongTime and wrongTimeval report whether a time at an address is none.
func (c *call) wrongTime(addr uint64) bool {
	_, errno := c.k.user.timespec(addr)
	return errno == einval || errno != 0 && addr >= kernelHalf
}

func (c *call) wrongTimeval(addr uint64) bool {
	_, errno := c.k.user.timeval(addr)
	return errno == einval || errno != 0 && addr >= kernelHalf
}

// wrongPolls reports whether there are more descriptors than may be open, or at no user's address.
func (c *call) wrongPolls() bool {
	n := uint64(uint32(c.a[1]))
	return n > c.get(c.k.files.limit) || n > 0 && c.a[0] >= kernelHalf
}

// wrongSets reports whether a set of select's has a descriptor that isn't open.
func (c *call) wrongSets() bool {
	_, _, _, errno := c.selected()
	return errno == ebadf
}

// keepsMask reports whether pselect6 comes without a mask of signals.
func (c *call) keepsMask() bool {
	return c.a[5] == 0 || c.k.user.canRead(c.a[5], 8) && c.k.log.Read64(c.a[5]) == 0
}

// tooHigh reports whether a descriptor is above the limit.
func (c *call) tooHigh(fd uint64) bool { return uint64(uint32(fd)) >= c.get(c.k.files.limit) }

// nameless reports whether an empty name stands at an address, in memory that isn't written.
func (c *call) nameless(addr uint64) bool {
	name, ok := c.k.user.path(addr)
	return ok && name == "" && !c.k.user.canWrite(addr, 1)
}

// placeless reports whether a name is empty, or the folder that it is in isn't there.
func (c *call) placeless(addr uint64) bool {
	name, ok := c.k.user.path(addr)
	return ok && !c.k.user.canWrite(addr, uint64(len(name)+1)) && (name == "" || c.k.files.placeless(clean(name)) != 0)
}

// keepsStack reports whether sigaltstack leaves everything as it is.
func (c *call) keepsStack() bool {
	t := c.t
	if c.a[0] == 0 {
		return true
	}
	if !c.k.user.canRead(c.a[0], 24) {
		return c.a[0] >= kernelHalf
	}
	sp, flags, size := c.k.log.Read64(c.a[0]), uint64(c.k.log.Read32(c.a[0]+8)), c.k.log.Read64(c.a[0]+16)
	mode := flags &^ ssAutodisarm
	if mode == ssDisable {
		sp, size = 0, 0
	}
	return c.k.signals.onAltStack(t, c.regs.RSP) || mode > ssDisable || sp == c.get(&t.altStack) && size == c.get(&t.altSize)
}

func (c *call) refusedFutex() bool {
	f := c.futex()
	switch op := uint64(uint32(c.a[1])); {
	case f.addr&3 != 0 || f.addr >= kernelHalf || op&^(futexPrivate|futexClockRealtime) > futexLockPI2:
		return true
	case f.realtime && !f.takesClock(), c.wrongFutex(&f):
		return true
	case f.timeout != 0 && c.wrongTime(f.timeout):
		return true
	}
	switch f.cmd {
	case futexRequeue, futexCmpRequeue:
		return f.kind != notPrivate && (f.addr2&3 != 0 || f.addr2 >= kernelHalf)
	case futexWakeOp:
		return f.kind != notPrivate && (f.addr2&3 != 0 || f.addr2 >= kernelHalf)
	case futexUnlockPI: // of a futex that the word says isn't the caller's
		return c.k.user.canRead(f.addr, 4) && !c.k.queues.owns(c.t, f.addr)
	}
	return false
}

// rested are the arguments that point to bytes which refused looks at, by name, and how many these are.
var rested = map[string][]pointed{
	"nanosleep": {{0, 16}}, "clock_nanosleep": {{2, 16}}, "setitimer": {{1, 32}}, "timer_settime": {{2, 32}}, "timerfd_settime": {{2, 32}},
	"ppoll": {{2, 16}}, "select": {{4, 16}}, "pselect6": {{4, 16}, {5, 8}}, "epoll_pwait2": {{3, 16}},
	"rt_sigprocmask": {{1, 8}}, "rt_sigtimedwait": {{2, 16}}, "sigaltstack": {{0, 24}}, "rt_sigqueueinfo": {{2, 16}}, "rt_tgsigqueueinfo": {{3, 16}},
	"setrlimit": {{1, 16}},
}

// pointed is an argument, and the size of what it points to.
type pointed struct{ at, size int }

// rests are the bytes of memory that lockless looks at. They may still be in the caller's store buffer.
func (c *call) rests(name string, l *locking) (all []kernel.Bytes) {
	switch name {
	case "futex":
		switch f := c.futex(); {
		case f.cmd == futexUnlockPI:
			return []kernel.Bytes{{Addr: f.addr, Size: 4}}
		case f.timeout != 0:
			return []kernel.Bytes{{Addr: f.timeout, Size: 16}}
		}
	case "select", "pselect6":
		size := uint64(min(max(c.int32(0), 0), maxDescriptors)+63) / 64 * 8
		for i := range 3 {
			if c.a[1+i] != 0 && size > 0 {
				all = append(all, kernel.Bytes{Addr: c.a[1+i], Size: size})
			}
		}
	}
	for _, r := range l.rested {
		if c.a[r.at] != 0 {
			all = append(all, kernel.Bytes{Addr: c.a[r.at], Size: uint64(r.size)})
		}
	}
	return all
}
