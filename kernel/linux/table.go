package linux

import (
	"landgo/kernel"
	"landgo/trace"
)

// Numbers of calls that share an implementation with others.
const (
	sysPread64    = 17
	sysAccess     = 21
	sysDup        = 32
	sysDup3       = 292
	sysClone      = 56
	sysKill       = 62
	sysTkill      = 200
	sysTgkill     = 234
	sysOpenat     = 257
	sysReadlinkat = 267
	sysPpoll      = 271
	sysClone3     = 435
)

// row is what the kernel knows of a system call.
type row struct {
	name string
	// mem records the guest bytes that the call reads and writes for the
	// thread; nil: none.
	mem func(*call)
	// plan fills in a plan that is Local so far; nil: always Local.
	plan func(*call, *kernel.Plan)
	// do carries the call out and returns its result.
	do func(*call, *kernel.Outcome) uint64
}

// in and out are buffers of fixed size that argument i points to.
func in(i int, size uint64) func(*call)  { return func(c *call) { c.touch(c.a[i], size, 0) } }
func out(i int, size uint64) func(*call) { return func(c *call) { c.touch(c.a[i], size, trace.Write) } }

// table has the calls by number. What a call can't do, its plan says.
var table [512]row

func init() {
	table = [512]row{
		// memory.go
		9:  {"mmap", memMmap, planMmap, doMmap},
		10: {"mprotect", memMprotect, planMprotect, doMprotect},
		11: {"munmap", memMunmap, nil, doMunmap},
		12: {"brk", memBrk, nil, doBrk},
		25: {"mremap", memMremap, planMremap, doMremap},
		28: {"madvise", memMadvise, planMadvise, doMadvise},

		// futex.go, pi.go, robust.go
		202: {"futex", memFutex, planFutex, doFutex},
		273: {"set_robust_list", nil, nil, doSetRobustList},
		274: {"get_robust_list", out(1, 8), nil, doGetRobustList},

		// clone.go, exit.go
		39:        {"getpid", nil, nil, doGetpid},
		sysClone:  {"clone", memClone, planClone, doClone},
		60:        {"exit", memExit, planExit, doExit},
		186:       {"gettid", nil, nil, doGettid},
		218:       {"set_tid_address", nil, nil, doSetTIDAddress},
		231:       {"exit_group", nil, planExitGroup, doExitGroup},
		sysClone3: {"clone3", memClone, planClone, doClone},

		// signal.go, sigframe.go, kill.go, sigwait.go
		13:        {"rt_sigaction", memSigaction, planSigaction, doSigaction},
		14:        {"rt_sigprocmask", memSigprocmask, planSigprocmask, doSigprocmask},
		15:        {"rt_sigreturn", nil, planSigreturn, doSigreturn},
		34:        {"pause", nil, planSignalSleep, doPause},
		sysKill:   {"kill", nil, planKill, doKill},
		127:       {"rt_sigpending", out(0, 8), nil, doSigpending},
		128:       {"rt_sigtimedwait", memSigtimedwait, planSignalSleep, doSigtimedwait},
		130:       {"rt_sigsuspend", in(0, 8), planSignalSleep, doSigsuspend},
		131:       {"sigaltstack", nil, nil, doSigaltstack},
		sysTkill:  {"tkill", nil, planKill, doKill},
		sysTgkill: {"tgkill", nil, planKill, doKill},

		// files.go, read.go
		0:          {"read", memRead, planFiles, doRead},
		2:          {"open", nil, planOpen, doOpen},
		3:          {"close", nil, planFiles, doClose},
		8:          {"lseek", nil, planFiles, doLseek},
		sysPread64: {"pread64", memRead, planFiles, doRead},
		19:         {"readv", memReadv, planFiles, doReadv},
		sysDup:     {"dup", nil, planFiles, doDup},
		33:         {"dup2", nil, planFiles, doDup},
		72:         {"fcntl", nil, planFcntl, doFcntl},
		sysOpenat:  {"openat", nil, planOpen, doOpen},
		sysDup3:    {"dup3", nil, planFiles, doDup},

		// capture.go
		1:  {"write", memWrite, planWrite, doWrite},
		20: {"writev", memWritev, planWrite, doWritev},

		// stat.go
		4:             {"stat", memStat, nil, doStat},
		5:             {"fstat", memStat, planStat, doFstat},
		6:             {"lstat", memStat, nil, doStat},
		16:            {"ioctl", nil, planIoctl, doIoctl},
		sysAccess:     {"access", nil, nil, doAccess},
		79:            {"getcwd", out(0, 2), nil, doGetcwd},
		89:            {"readlink", nil, nil, doReadlink},
		262:           {"newfstatat", memStatat, planStatat, doStatat},
		sysReadlinkat: {"readlinkat", nil, nil, doReadlink},
		269:           {"faccessat", nil, nil, doAccess},

		// time.go
		7:        {"poll", nil, planPoll, doPoll},
		23:       {"select", nil, planSelect, doSelect},
		35:       {"nanosleep", in(0, 16), planSleep, doNanosleep},
		96:       {"gettimeofday", out(0, 16), planLook, doGettimeofday},
		98:       {"getrusage", out(1, usageSize), planLook, doGetrusage},
		100:      {"times", out(0, 32), planLook, doTimes},
		201:      {"time", out(0, 8), planLook, doTime},
		228:      {"clock_gettime", out(1, 16), planLook, doClockGettime},
		229:      {"clock_getres", out(1, 16), nil, doClockGetres},
		270:      {"pselect6", nil, planSelect, doPselect},
		sysPpoll: {"ppoll", nil, planPoll, doPselect},
		230:      {"clock_nanosleep", in(2, 16), planSleep, doClockNanosleep},

		// misc.go
		24:  {"sched_yield", nil, planYield, doYield},
		99:  {"sysinfo", out(0, sysinfoSize), planLook, doSysinfo},
		63:  {"uname", out(0, 390), nil, doUname},
		97:  {"getrlimit", out(1, 16), nil, doGetrlimit},
		102: {"getuid", nil, nil, doUserID},
		104: {"getgid", nil, nil, doUserID},
		107: {"geteuid", nil, nil, doUserID},
		108: {"getegid", nil, nil, doUserID},
		110: {"getppid", nil, nil, doGetppid},
		142: {"sched_setparam", in(1, 4), nil, doSetparam},
		143: {"sched_getparam", out(1, 4), nil, doGetparam},
		144: {"sched_setscheduler", in(2, 4), nil, doSetscheduler},
		145: {"sched_getscheduler", nil, nil, doGetscheduler},
		146: {"sched_get_priority_max", nil, nil, doPriorityMax},
		147: {"sched_get_priority_min", nil, nil, doPriorityMin},
		157: {"prctl", memPrctl, planPrctl, doPrctl},
		158: {"arch_prctl", nil, planArchPrctl, doArchPrctl},
		203: {"sched_setaffinity", nil, nil, doSetaffinity},
		204: {"sched_getaffinity", out(2, 8), nil, doGetaffinity},
		302: {"prlimit64", out(3, 16), planPrlimit, doPrlimit},
		309: {"getcpu", nil, nil, doGetcpu},
		318: {"getrandom", nil, nil, doGetrandom},
		334: {"rseq", nil, nil, doRseq},
	}
}
