package linux

import (
	"landgo/kernel"
)

// Numbers of calls that share an implementation with others.
const (
	sysPread64    = 17
	sysAccess     = 21
	sysDup        = 32
	sysDup3       = 292
	sysClone      = 56
	sysKill       = 62
	sysSigqueue   = 129
	sysSigmask    = 14
	sysSigreturn  = 15
	sysSigwait    = 128
	sysSigsuspend = 130
	sysTgsigqueue = 297
	sysTkill      = 200
	sysTgkill     = 234
	sysOpenat     = 257
	sysReadlinkat = 267
	sysPpoll      = 271
	sysClone3     = 435
	sysFaccessat2 = 439
	sysWaitid     = 247
)

// row is the kernel's knowledge of a system call.
type row struct {
	name string
	// plan is the knowledge of the call before it is tried: whether it is
	// modelled and possible, its outcomes, and its operation for a search. It
	// peeks at the state. nil: none of that.
	plan func(*call, *kernel.Plan)
	// do carries the call out, by the log (package effect) only, and returns its
	// result. Its accesses are found by trying: see Foresee.
	do func(*call, *kernel.Outcome) uint64
}

// table has the calls by number. A call's plan names its unmodelled parts.
var table [512]row

func init() {
	table = [512]row{
		// memory.go
		9:  {"mmap", planMmap, doMmap},
		10: {"mprotect", planMprotect, doMprotect},
		11: {"munmap", planMunmap, doMunmap},

		// futex.go, pi.go, robust.go
		202: {"futex", planFutex, doFutex},
		273: {"set_robust_list", nil, doSetRobustList},
		274: {"get_robust_list", nil, doGetRobustList},

		// clone.go, exit.go
		39:        {"getpid", nil, doGetpid},
		sysClone:  {"clone", planClone, doClone},
		60:        {"exit", planExit, doExit},
		186:       {"gettid", nil, doGettid},
		218:       {"set_tid_address", nil, doSetTIDAddress},
		231:       {"exit_group", planExitGroup, doExitGroup},
		sysClone3: {"clone3", planClone, doClone},
		61:        {"wait4", nil, doWait},
		sysWaitid: {"waitid", planWaitid, doWait},

		// signal.go, sigframe.go, kill.go, sigwait.go
		13:            {"rt_sigaction", planSigaction, doSigaction},
		sysSigmask:    {"rt_sigprocmask", planSigprocmask, doSigprocmask},
		sysSigreturn:  {"rt_sigreturn", planSigreturn, doSigreturn},
		34:            {"pause", planSignalSleep, doPause},
		sysKill:       {"kill", planKill, doKill},
		sysSigqueue:   {"rt_sigqueueinfo", planKill, doKill},
		sysTgsigqueue: {"rt_tgsigqueueinfo", planKill, doKill},
		127:           {"rt_sigpending", nil, doSigpending},
		sysSigwait:    {"rt_sigtimedwait", planSigtimedwait, doSigtimedwait},
		sysSigsuspend: {"rt_sigsuspend", planSignalSleep, doSigsuspend},
		131:           {"sigaltstack", nil, doSigaltstack},
		sysTkill:      {"tkill", planKill, doKill},
		sysTgkill:     {"tgkill", planKill, doKill},

		// files.go, read.go
		0:           {"read", planRead, doRead},
		2:           {"open", planOpen, doOpen},
		3:           {"close", planFiles, doClose},
		8:           {"lseek", planFiles, doLseek},
		sysPread64:  {"pread64", planFiles, doPread},
		19:          {"readv", planRead, doReadv},
		sysPreadv:   {"preadv", planPreadv, doPreadv},
		sysPreadv2:  {"preadv2", planPreadv, doPreadv},
		sysPwritev:  {"pwritev", planPwritev, doPwritev},
		sysPwritev2: {"pwritev2", planPwritev, doPwritev},
		sysDup:      {"dup", planFiles, doDup},
		33:          {"dup2", planFiles, doDup},
		72:          {"fcntl", planFcntl, doFcntl},
		sysOpenat:   {"openat", planOpen, doOpen},
		sysDup3:     {"dup3", planFiles, doDup},

		// pipe.go, socket.go, counter.go, epoll.go
		sysPipe:        {"pipe", planPipe, doPipe},
		sysSendto:      {"sendto", planSend, doSend},
		sysRecvfrom:    {"recvfrom", planReceive, doReceive},
		sysSendmsg:     {"sendmsg", planSend, doSend},
		sysRecvmsg:     {"recvmsg", planReceive, doReceive},
		48:             {"shutdown", planShutdown, doShutdown},
		sysSocketpair:  {"socketpair", planSocketpair, doSocketpair},
		55:             {"getsockopt", planGetsockopt, doGetsockopt},
		sysEpollCreate: {"epoll_create", planFiles, doEpollCreate},
		sysEpollWait:   {"epoll_wait", planEpollWait, doEpollWait},
		233:            {"epoll_ctl", planEpollCtl, doEpollCtl},
		sysEpollPwait:  {"epoll_pwait", planEpollWait, doEpollWait},
		sysSignalfd:    {"signalfd", planFiles, doSignalfd},
		283:            {"timerfd_create", planTimerfd, doTimerfd},
		sysEventfd:     {"eventfd", planFiles, doEventfd},
		286:            {"timerfd_settime", planTimer, doTimerSettime},
		287:            {"timerfd_gettime", planTimer, doTimerGettime},
		289:            {"signalfd4", planFiles, doSignalfd},
		290:            {"eventfd2", planFiles, doEventfd},
		291:            {"epoll_create1", planFiles, doEpollCreate},
		293:            {"pipe2", planPipe, doPipe},
		sysEpollPwait2: {"epoll_pwait2", planEpollWait, doEpollWait},

		// timer.go
		36:  {"getitimer", nil, doGetitimer},
		37:  {"alarm", nil, doAlarm},
		38:  {"setitimer", nil, doSetitimer},
		222: {"timer_create", nil, doTimerCreate},
		223: {"timer_settime", nil, doPosixSettime},
		224: {"timer_gettime", nil, doPosixGettime},
		225: {"timer_getoverrun", nil, doPosixOverrun},
		226: {"timer_delete", nil, doPosixDelete},

		// inode.go
		sysPwrite64: {"pwrite64", planFiles, doPwrite},
		74:          {"fsync", planFiles, doSync},
		75:          {"fdatasync", planFiles, doSync},
		77:          {"ftruncate", planFiles, doFtruncate},
		285:         {"fallocate", planFiles, doFallocate},
		319:         {"memfd_create", planMemfd, doMemfd},

		// paths.go
		sysRename:    {"rename", planPaths, doRename},
		sysMkdir:     {"mkdir", planPaths, doMkdir},
		sysRmdir:     {"rmdir", planPaths, doRmdir},
		sysLink:      {"link", planPaths, doLink},
		sysUnlink:    {"unlink", planPaths, doUnlink},
		sysMkdirat:   {"mkdirat", planPaths, doMkdir},
		sysUnlinkat:  {"unlinkat", planPaths, doUnlink},
		sysRenameat:  {"renameat", planPaths, doRename},
		sysLinkat:    {"linkat", planPaths, doLink},
		sysRenameat2: {"renameat2", planPaths, doRename},

		// capture.go
		1:  {"write", planWrite, doWrite},
		20: {"writev", planWrite, doWritev},

		// stat.go
		4:             {"stat", nil, doStat},
		5:             {"fstat", planStat, doFstat},
		6:             {"lstat", nil, doStat},
		16:            {"ioctl", planIoctl, doIoctl},
		sysAccess:     {"access", nil, doAccess},
		79:            {"getcwd", nil, doGetcwd},
		89:            {"readlink", nil, doReadlink},
		262:           {"newfstatat", planStatat, doStatat},
		sysReadlinkat: {"readlinkat", nil, doReadlink},
		269:           {"faccessat", nil, doAccess},
		sysFaccessat2: {"faccessat2", nil, doAccess},

		// poll.go, time.go
		sysPoll:         {"poll", planPoll, doPoll},
		23:              {"select", planSelect, doSelect},
		35:              {"nanosleep", planSleep, doNanosleep},
		sysGettimeofday: {"gettimeofday", planLook, doGettimeofday},
		sysTime:         {"time", planLook, doTime},
		sysClockGettime: {"clock_gettime", planLook, doClockGettime},
		229:             {"clock_getres", nil, doClockGetres},
		270:             {"pselect6", planSelect, doSelect},
		sysPpoll:        {"ppoll", planPoll, doPoll},
		230:             {"clock_nanosleep", planSleep, doClockNanosleep},

		// ordinary.go
		26:  {"msync", nil, doMsync},
		95:  {"umask", planFiles, doUmask},
		111: {"getpgrp", nil, doProcessGroup},
		115: {"getgroups", nil, doZero},
		118: {"getresuid", nil, doGetresid},
		120: {"getresgid", nil, doGetresid},
		121: {"getpgid", nil, doGetpgid},
		124: {"getsid", nil, doGetpgid},
		149: {"mlock", nil, doMlock},
		150: {"munlock", nil, doMlock},
		151: {"mlockall", nil, doZero},
		152: {"munlockall", nil, doZero},
		221: {"fadvise64", planFiles, doFadvise},
		325: {"mlock2", nil, doMlock},
		332: {"statx", planStatx, doStatx},
		436: {"close_range", planCloseRange, doCloseRange},
		63:  {"uname", nil, doUname},
		102: {"getuid", nil, doUserID},
		104: {"getgid", nil, doUserID},
		107: {"geteuid", nil, doUserID},
		108: {"getegid", nil, doUserID},
		110: {"getppid", nil, doGetppid},
		334: {"rseq", nil, doRseq},

		// limits.go
		97:           {"getrlimit", nil, doGetrlimit},
		sysSetrlimit: {"setrlimit", planSetrlimit, doSetrlimit},
		302:          {"prlimit64", planSetrlimit, doSetrlimit},

		// traits.go
		140:       {"getpriority", nil, doGetpriority},
		141:       {"setpriority", planSetpriority, doSetpriority},
		157:       {"prctl", planPrctl, doPrctl},
		203:       {"sched_setaffinity", nil, doSetaffinity},
		204:       {"sched_getaffinity", nil, doGetaffinity},
		sysGetcpu: {"getcpu", nil, doGetcpu},

		// policy.go
		24:  {"sched_yield", planYield, doYield},
		142: {"sched_setparam", nil, doSetparam},
		143: {"sched_getparam", nil, doGetparam},
		144: {"sched_setscheduler", planSetscheduler, doSetscheduler},
		145: {"sched_getscheduler", nil, doGetscheduler},
		146: {"sched_get_priority_max", nil, doPriorityMax},
		147: {"sched_get_priority_min", nil, doPriorityMin},

		// archprctl.go
		158: {"arch_prctl", planArchPrctl, doArchPrctl},

		// random.go
		318: {"getrandom", nil, doGetrandom},

		// membarrier.go
		324: {"membarrier", planMembarrier, doMembarrier},

		// remap.go
		12: {"brk", nil, doBrk},
		25: {"mremap", planMremap, doMremap},
		28: {"madvise", planMadvise, doMadvise},

		// usage.go
		98:  {"getrusage", planLook, doGetrusage},
		100: {"times", planLook, doTimes},
		99:  {"sysinfo", planLook, doSysinfo},
	}
	for i := range table {
		lockings[i] = lockingOf(table[i].name)
		abouts[i] = aboutOf[table[i].name]
	}
}

// aboutOf is what else about calls matters to a search, by name; abouts has it by number.
var (
	aboutOf = map[string]kernel.About{
		"set_tid_address": kernel.AboutThread, "set_robust_list": kernel.AboutThread,
		"rt_sigpending": kernel.AboutKept, "rt_sigtimedwait": kernel.AboutKept, "signalfd": kernel.AboutKept, "signalfd4": kernel.AboutKept,
		"setitimer": kernel.AboutTimers, "getitimer": kernel.AboutTimers, "alarm": kernel.AboutTimers,
		"timer_settime": kernel.AboutTimers, "timer_gettime": kernel.AboutTimers, "timer_delete": kernel.AboutTimers,
	}
	abouts [len(table)]kernel.About
)

// about is that of the present call, whose row this is.
func (c *call) about(of *row) kernel.About {
	switch {
	case c.nr >= uint64(len(table)) || of != &table[c.nr]:
		return 0
	case of.name == "exit_group" && c.a[0]&0xff == 0:
		return kernel.AboutSuccess
	}
	return abouts[c.nr]
}
