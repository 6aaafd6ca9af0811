package linux

import "landgo/internal/abi"

// Calls that a kernel may carry out without a lock. What their thread stored before may still be in
// its processor's store buffer when they have returned: neither the way into the kernel nor the way
// back waits for it. All other calls, but for those that are refused (refused.go), take a lock, or find a file by a locked instruction.

// lockless are such calls, whatever their arguments.
var lockless = map[string]bool{
	"getpid": true, "gettid": true, "getppid": true, "getpgrp": true, "getpgid": true, "getsid": true,
	"getuid": true, "geteuid": true, "getgid": true, "getegid": true, "getresuid": true, "getresgid": true, "getgroups": true,
	"sched_getscheduler": true, "sched_getparam": true, "sched_get_priority_max": true, "sched_get_priority_min": true,
	"arch_prctl": true, "set_tid_address": true, "set_robust_list": true, "rseq": true,
	"clock_getres": true, "gettimeofday": true, "time": true, "getcpu": true, "getrandom": true, "getcwd": true,
	"landgo_choice": true, "landgo_assume": true,
}

// ofFile are the calls that look a descriptor up first, their first argument. Without a file there is
// no lock. (dup2, dup3 and close lock the table before they look.)
var ofFile = map[string]bool{
	"read": true, "readv": true, "write": true, "writev": true, "pread64": true, "pwrite64": true, "preadv": true, "preadv2": true, "pwritev": true, "pwritev2": true, "lseek": true, "fstat": true,
	"dup": true, "fcntl": true, "ioctl": true, "fsync": true, "fdatasync": true, "ftruncate": true, "fallocate": true,
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

// locking is what the tables here and rested say of a call: each plan asks for it.
type locking struct {
	never, ofFile, ofName bool
	at                    int // of the name
	rested                []pointed
}

// lockings are those of the table's calls.
var lockings [len(table)]locking

func lockingOf(name string) locking {
	at, named := ofName[name]
	return locking{lockless[name], ofFile[name], named, at, rested[name]}
}

// locking is that of the present call.
func (c *call) locking(row *row) locking {
	if c.nr < uint64(len(table)) && row == &table[c.nr] {
		return lockings[c.nr]
	}
	return lockingOf(row.name)
}

// lockless reports whether the call may be made without a lock, as the kernel's state is. Another
// thread may change that before the call is made: it opens the descriptor, say.
func (c *call) lockless(name string, l *locking) bool {
	switch {
	case l.ofName:
		return !c.isThere(c.a[l.at], l.at > 0)
	case l.never:
		return true
	case l.ofFile && c.k.files.use(c.int32(0)) == useClosed:
		return !c.remasks()
	}
	if name == "clock_gettime" { // the time that a thread or the process has run is looked up under one
		id := c.int32(0)
		return id >= 0 && id != abi.ClockProcessCPUTimeID && id != abi.ClockThreadCPUTimeID
	}
	return c.refused(name)
}

// isThere reports whether the name at an address is there. One in memory that threads may write isn't
// said to be: it may still be in the caller's store buffer. below: the call has a folder first.
func (c *call) isThere(addr uint64, below bool) bool {
	name, ok := c.k.user.path(addr)
	switch {
	case !ok:
		return addr < kernelHalf && !c.k.user.canRead(addr, 1) // a fault
	case name == "" && below:
		return c.k.files.use(c.int32(0)) != useClosed
	}
	_, errno := c.statPath(addr)
	return errno == 0 && !c.k.user.canWrite(addr, uint64(len(name)+1))
}

// isOurs reports whether kill's argument means the process.
func isOurs(pid int32) bool { return pid == 0 || pid == firstNumber || pid == -firstNumber }
