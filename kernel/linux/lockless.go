package linux

// Calls that a kernel may carry out without a lock. What their thread stored before may still be in
// its processor's store buffer when they have returned: neither the way into the kernel nor the way
// back waits for it. All other calls take a lock, or find a file by a locked instruction.

// lockless are such calls, whatever their arguments.
var lockless = map[string]bool{
	"getpid": true, "gettid": true, "getppid": true, "getpgrp": true, "getpgid": true, "getsid": true,
	"getuid": true, "geteuid": true, "getgid": true, "getegid": true, "getresuid": true, "getresgid": true, "getgroups": true,
	"getpriority": true, "sched_getscheduler": true, "sched_getparam": true, "sched_get_priority_max": true, "sched_get_priority_min": true,
	"prctl": true, "arch_prctl": true, "set_tid_address": true, "set_robust_list": true, "get_robust_list": true, "rseq": true, "sigaltstack": true,
	"clock_gettime": true, "clock_getres": true, "gettimeofday": true, "time": true, "getcpu": true, "getrandom": true,
	// A name that isn't there is found so without one.
	"stat": true, "lstat": true, "access": true, "readlink": true, "getcwd": true,
	"landgo_choice": true, "landgo_assume": true,
}

// ofFile are the calls whose first argument is a descriptor. Without a file there is no lock.
var ofFile = map[string]bool{
	"read": true, "readv": true, "write": true, "writev": true, "pread64": true, "pwrite64": true, "close": true, "lseek": true, "fstat": true,
	"dup": true, "dup2": true, "dup3": true, "fcntl": true, "ioctl": true, "fsync": true, "fdatasync": true, "ftruncate": true,
	"sendto": true, "recvfrom": true, "sendmsg": true, "recvmsg": true, "shutdown": true, "getsockopt": true, "fadvise64": true,
	"epoll_wait": true, "epoll_pwait": true, "epoll_pwait2": true, "epoll_ctl": true, "timerfd_settime": true, "timerfd_gettime": true,
	"newfstatat": true, "readlinkat": true, "faccessat": true, "faccessat2": true, "statx": true,
}

// lockless reports whether the call may be made without a lock. It is asked of the name and the
// arguments alone: whether a thread waits for its store buffer is no matter of what others do.
func (c *call) lockless(name string) bool {
	switch {
	case lockless[name]:
		return true
	case ofFile[name]:
		return c.int32(0) < 0 // the directory of a relative path, too: the name may not be there
	}
	switch name {
	case "kill", "tkill": // signal 0 only asks whether the thread is there
		return uint32(c.a[1])-1 >= numSignals-1
	case "tgkill":
		return uint32(c.a[2])-1 >= numSignals-1
	case "rt_sigaction":
		return c.a[0]-1 >= numSignals-1 || unblockable&bit(c.a[0]) != 0
	case "rt_sigprocmask":
		return c.a[1] == 0 // it only asks
	case "nanosleep":
		return c.a[0] == 0
	case "mprotect", "madvise", "msync":
		return c.a[1] == 0 || c.a[0]&(pageSize-1) != 0
	case "poll":
		return c.a[1] == 0 && c.int32(2) == 0
	case "futex":
		return c.a[0]&3 != 0 || c.a[1]&^(futexPrivate|futexClockRealtime) > futexLockPI2
	case "membarrier":
		return c.a[0] != fenceGlobal && c.a[0] != fencePrivate
	}
	return false
}
