package confine

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// allowed are the system calls of a process that computes: memory, threads, time, and
// reading and writing of the descriptors that it has.
var allowed = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_PWRITE64,
	unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_LSEEK, unix.SYS_FTRUNCATE, unix.SYS_FSYNC, unix.SYS_FADVISE64,
	unix.SYS_RECVMSG, unix.SYS_SENDMSG, unix.SYS_SHUTDOWN,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_WAIT, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2,
	unix.SYS_EVENTFD2, unix.SYS_PIPE2, unix.SYS_POLL, unix.SYS_PPOLL,
	unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_BRK, unix.SYS_MINCORE, unix.SYS_MEMBARRIER,
	unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_SET_TID_ADDRESS,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETCPU, unix.SYS_RESTART_SYSCALL,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_GETTIMEOFDAY, unix.SYS_TIME,
	unix.SYS_GETRUSAGE, unix.SYS_GETRANDOM, unix.SYS_UNAME,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETPPID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// refused are those that libraries try without need: they fail, and the process lives.
var refused = map[uint32]unix.Errno{
	unix.SYS_CLONE3: unix.ENOSYS, // its flags are in memory: libraries go on with clone
	unix.SYS_OPEN:   unix.EACCES, unix.SYS_OPENAT: unix.EACCES, unix.SYS_OPENAT2: unix.EACCES, unix.SYS_ACCESS: unix.EACCES,
	unix.SYS_FACCESSAT: unix.EACCES, unix.SYS_FACCESSAT2: unix.EACCES, unix.SYS_STAT: unix.EACCES, unix.SYS_LSTAT: unix.EACCES,
	unix.SYS_NEWFSTATAT: unix.EACCES, unix.SYS_STATX: unix.EACCES, unix.SYS_READLINK: unix.EACCES, unix.SYS_READLINKAT: unix.EACCES,
	unix.SYS_GETCWD: unix.EACCES, unix.SYS_IOCTL: unix.ENOTTY, unix.SYS_SYSINFO: unix.EPERM, unix.SYS_SCHED_SETAFFINITY: unix.EPERM,
	unix.SYS_GETDENTS64: unix.EACCES, unix.SYS_MEMFD_CREATE: unix.EPERM, unix.SYS_PRCTL: unix.EPERM, unix.SYS_PRLIMIT64: unix.EPERM,
	unix.SYS_FCNTL: unix.EPERM,
}

// Some of what two calls can do.
const (
	prSetVMA  = unix.PR_SET_VMA // Go's runtime names its memory
	prSetName = unix.PR_SET_NAME
	mapType   = unix.MAP_TYPE // private, shared, ...
)

// Offsets in the kernel's struct seccomp_data.
const (
	atNumber = 0
	atArch   = 4
	atArgs   = 16
)

// program is the filter of a process. A call that isn't in its tables kills the process.
func program(pid uint32) ([]unix.SockFilter, error) {
	var p []unix.SockFilter
	load := func(at uint32) { p = append(p, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}) }
	ret := func(action uint32) { p = append(p, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}) }
	// unless skips n instructions if the loaded word isn't (of a mask, has not) k.
	unless := func(code uint16, k uint32, n uint8) {
		p = append(p, unix.SockFilter{Code: unix.BPF_JMP | code | unix.BPF_K, K: k, Jf: n})
	}
	arg := func(n uint32) uint32 { return atArgs + 8*n }
	const allow = unix.SECCOMP_RET_ALLOW

	load(atArch)
	p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.AUDIT_ARCH_X86_64, Jt: 1})
	ret(unix.SECCOMP_RET_KILL_PROCESS)
	load(atNumber)
	for _, nr := range allowed {
		unless(unix.BPF_JEQ, nr, 1)
		ret(allow)
	}
	// A thread, but no process: all of these flags are there.
	const thread = unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND
	unless(unix.BPF_JEQ, unix.SYS_CLONE, 5)
	load(arg(0))
	p = append(p, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: thread})
	unless(unix.BPF_JEQ, thread, 1)
	ret(allow)
	ret(unix.SECCOMP_RET_KILL_PROCESS)
	// Memory of this process alone: what is shared without a file stays when the process
	// lets go of it, and isn't a part of its size, which the front watches.
	unless(unix.BPF_JEQ, unix.SYS_MMAP, 5)
	load(arg(3))
	p = append(p, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: mapType})
	unless(unix.BPF_JEQ, unix.MAP_PRIVATE, 1)
	ret(allow)
	ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	// Calls with some allowed uses: the argument's low word is one of a list. The
	// high word doesn't count for any of them: the kernel takes an int.
	some := func(nr, n uint32, values ...uint32) {
		unless(unix.BPF_JEQ, nr, uint8(2*len(values)+2))
		load(arg(n))
		for _, v := range values {
			unless(unix.BPF_JEQ, v, 1)
			ret(allow)
		}
		ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	}
	some(unix.SYS_TGKILL, 0, pid) // Go's runtime interrupts its threads
	some(unix.SYS_FCNTL, 1, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL, unix.F_DUPFD_CLOEXEC)
	some(unix.SYS_PRCTL, 0, prSetVMA, prSetName)
	// Limits may be asked, of this process: the new ones are a null pointer.
	unless(unix.BPF_JEQ, unix.SYS_PRLIMIT64, 8)
	load(arg(0))
	unless(unix.BPF_JEQ, 0, 5)
	load(arg(2))
	unless(unix.BPF_JEQ, 0, 3)
	load(arg(2) + 4)
	unless(unix.BPF_JEQ, 0, 1)
	ret(allow)
	ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))

	for _, nr := range sorted(refused) {
		unless(unix.BPF_JEQ, nr, 1)
		ret(unix.SECCOMP_RET_ERRNO | uint32(refused[nr]))
	}
	ret(unix.SECCOMP_RET_KILL_PROCESS)
	return p, nil
}

func sorted(m map[uint32]unix.Errno) []uint32 { return slices.Sorted(maps.Keys(m)) }
