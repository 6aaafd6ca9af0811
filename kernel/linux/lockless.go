package linux

import "landgo/kernel"

// Calls that a kernel may carry out without a lock. What their thread stored before may still be in
// its processor's store buffer when they have returned: neither the way into the kernel nor the way
// back waits for it. All other calls take a lock, or find a file by a locked instruction.

// lockless are such calls, whatever their arguments.
var lockless = map[string]bool{
	"getpid": true, "gettid": true, "getppid": true, "getpgrp": true, "getpgid": true, "getsid": true,
	"getuid": true, "geteuid": true, "getgid": true, "getegid": true, "getresuid": true, "getresgid": true, "getgroups": true,
	"getpriority": true, "sched_getscheduler": true, "sched_getparam": true, "sched_get_priority_max": true, "sched_get_priority_min": true,
	"prctl": true, "arch_prctl": true, "set_tid_address": true, "set_robust_list": true, "rseq": true,
	"clock_getres": true, "gettimeofday": true, "time": true, "getcpu": true, "getrandom": true, "getcwd": true,
	"landgo_choice": true, "landgo_assume": true,
}

// ofFile are the calls that look a descriptor up first, their first argument. Without a file there is
// no lock. (dup2, dup3 and close lock the table before they look.)
var ofFile = map[string]bool{
	"read": true, "readv": true, "write": true, "writev": true, "pread64": true, "pwrite64": true, "lseek": true, "fstat": true,
	"dup": true, "fcntl": true, "ioctl": true, "fsync": true, "fdatasync": true, "ftruncate": true,
	"sendto": true, "recvfrom": true, "sendmsg": true, "recvmsg": true, "shutdown": true, "getsockopt": true, "fadvise64": true,
	"epoll_wait": true, "epoll_pwait": true, "epoll_pwait2": true, "epoll_ctl": true, "timerfd_settime": true, "timerfd_gettime": true,
}

// ofName are the calls that look a name up, and which argument has it. That there is none is found
// without a lock; one that is there is held by a locked instruction.
var ofName = map[string]int{
	"stat": 0, "lstat": 0, "access": 0, "readlink": 0, "newfstatat": 1, "readlinkat": 1, "faccessat": 1, "faccessat2": 1, "statx": 1,
}

// lastClock is the greatest number of a clock; those below 0 are of what threads have run.
const lastClock = 11

// lockless reports whether the call may be made without a lock, as the kernel's state is. Another
// thread may change that before the call is made: it opens the descriptor, say.
func (c *call) lockless(name string) bool {
	if at, ok := ofName[name]; ok {
		return !c.isThere(c.a[at], at > 0)
	}
	switch {
	case lockless[name]:
		return true
	case ofFile[name] && c.k.files.use(c.int32(0)) == useClosed:
		return true
	}
	switch name {
	case "clock_gettime": // the time that a thread or the process has run is looked up under one
		id := c.int32(0)
		return id >= 0 && id != 2 && id != 3
	case "sigaltstack":
		return c.a[0] == 0 // it only asks
	case "dup2":
		return c.int32(0) == c.int32(1)
	case "dup3":
		return c.int32(0) == c.int32(1) || c.a[2]&^oCloexec != 0
	case "pread64", "pwrite64":
		return int64(c.a[3]) < 0
	case "pipe2":
		return c.a[1]&^(oNonblock|oCloexec|oDirect|oExcl) != 0
	case "eventfd2":
		return c.a[1]&^(oNonblock|oCloexec|efdSemaphore) != 0
	case "epoll_create1":
		return c.a[0]&^oCloexec != 0
	case "timerfd_create":
		return c.a[1]&^(oNonblock|oCloexec) != 0 || uint32(c.a[0]) > lastClock
	case "clock_nanosleep":
		return c.int32(0) > lastClock
	case "timer_create":
		return c.int32(0) > lastClock
	case "setpriority":
		return c.a[0] > 2
	case "rt_sigpending":
		return c.a[1] > 8
	case "rt_sigsuspend":
		return c.a[1] != 8
	case "mmap":
		return c.a[5]&(pageSize-1) != 0 || c.a[3]&mapAnonymous == 0 && c.k.files.use(c.int32(4)) == useClosed
	case "rt_sigtimedwait":
		return c.a[3] != 8
	case "select":
		return c.int32(0) < 0
	case "clone3":
		return c.a[1] < 64
	case "kill": // signal 0 only asks whether the process is there; for a group there is a lock
		return c.int32(0) > 0 && (uint32(c.a[1])-1 >= numSignals-1 || !isOurs(c.int32(0)))
	case "tkill":
		return uint32(c.a[1])-1 >= numSignals-1 || c.k.roster.numbered(uint64(uint32(c.a[0]))) == nil
	case "tgkill":
		return uint32(c.a[2])-1 >= numSignals-1 || c.int32(0) != firstNumber || c.k.roster.numbered(uint64(uint32(c.a[1]))) == nil
	case "rt_sigaction":
		return c.a[0]-1 >= numSignals-1 || unblockable&bit(c.a[0]) != 0
	case "rt_sigprocmask": // it only asks, or the mask stays as it is
		mask, _ := c.newMask()
		return mask == c.get(&c.t.blocked)
	case "nanosleep":
		return c.a[0] == 0
	case "mprotect", "madvise", "msync":
		return c.a[1] == 0 || c.a[0]&(pageSize-1) != 0
	case "poll":
		return c.a[1] == 0 && c.int32(2) == 0
	case "futex":
		return c.a[0]&3 != 0 || c.a[1]&^(futexPrivate|futexClockRealtime) > futexLockPI2
	case "membarrier":
		return c.a[0] == fenceQuery || c.a[0] == fenceAnnounces && c.k.fences.Peek() != 0
	}
	return false
}

// rests are the bytes of memory that lockless looks at. They may still be in the caller's store buffer.
func (c *call) rests(name string) kernel.Bytes {
	if name == "rt_sigprocmask" && c.a[1] != 0 {
		return kernel.Bytes{Addr: c.a[1], Size: 8}
	}
	return kernel.Bytes{}
}

// isThere reports whether the name at an address is there. One in memory that threads may write isn't
// said to be: it may still be in the caller's store buffer. below: the call has a folder first.
func (c *call) isThere(addr uint64, below bool) bool {
	name, ok := c.k.user.path(addr)
	switch {
	case !ok:
		return false
	case name == "" && below:
		return c.k.files.use(c.int32(0)) != useClosed
	}
	_, errno := c.statPath(addr)
	return errno == 0 && !c.k.user.canWrite(addr, uint64(len(name)+1))
}

// isOurs reports whether kill's argument means the process.
func isOurs(pid int32) bool { return pid == 0 || pid == firstNumber || pid == -firstNumber }
