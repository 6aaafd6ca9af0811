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
		9:  {name: "mmap", plan: planMmap, do: doMmap},
		10: {name: "mprotect", plan: planMprotect, do: doMprotect},
		11: {name: "munmap", plan: planMunmap, do: doMunmap},

		// futex.go, pi.go, robust.go
		202: {name: "futex", plan: planFutex, do: doFutex},
		273: {name: "set_robust_list", do: doSetRobustList},
		274: {name: "get_robust_list", do: doGetRobustList},

		// clone.go, exit.go
		39:        {name: "getpid", do: doGetpid},
		sysClone:  {name: "clone", plan: planClone, do: doClone},
		60:        {name: "exit", plan: planExit, do: doExit},
		186:       {name: "gettid", do: doGettid},
		218:       {name: "set_tid_address", do: doSetTIDAddress},
		231:       {name: "exit_group", plan: planExitGroup, do: doExitGroup},
		sysClone3: {name: "clone3", plan: planClone, do: doClone},
		61:        {name: "wait4", do: doWait},
		sysWaitid: {name: "waitid", plan: planWaitid, do: doWait},

		// signal.go, sigframe.go, kill.go, sigwait.go
		13:            {name: "rt_sigaction", plan: planSigaction, do: doSigaction},
		sysSigmask:    {name: "rt_sigprocmask", plan: planSigprocmask, do: doSigprocmask},
		sysSigreturn:  {name: "rt_sigreturn", plan: planSigreturn, do: doSigreturn},
		34:            {name: "pause", plan: planSignalSleep, do: doPause},
		sysKill:       {name: "kill", plan: planKill, do: doKill},
		sysSigqueue:   {name: "rt_sigqueueinfo", plan: planKill, do: doKill},
		sysTgsigqueue: {name: "rt_tgsigqueueinfo", plan: planKill, do: doKill},
		127:           {name: "rt_sigpending", do: doSigpending},
		sysSigwait:    {name: "rt_sigtimedwait", plan: planSigtimedwait, do: doSigtimedwait},
		sysSigsuspend: {name: "rt_sigsuspend", plan: planSignalSleep, do: doSigsuspend},
		131:           {name: "sigaltstack", do: doSigaltstack},
		sysTkill:      {name: "tkill", plan: planKill, do: doKill},
		sysTgkill:     {name: "tgkill", plan: planKill, do: doKill},

		// files.go, read.go
		0:           {name: "read", plan: planRead, do: doRead},
		2:           {name: "open", plan: planOpen, do: doOpen},
		3:           {name: "close", plan: planFiles, do: doClose},
		8:           {name: "lseek", plan: planFiles, do: doLseek},
		sysPread64:  {name: "pread64", plan: planFiles, do: doPread},
		19:          {name: "readv", plan: planRead, do: doReadv},
		sysPreadv:   {name: "preadv", plan: planPreadv, do: doPreadv},
		sysPreadv2:  {name: "preadv2", plan: planPreadv, do: doPreadv},
		sysPwritev:  {name: "pwritev", plan: planPwritev, do: doPwritev},
		sysPwritev2: {name: "pwritev2", plan: planPwritev, do: doPwritev},
		sysDup:      {name: "dup", plan: planFiles, do: doDup},
		33:          {name: "dup2", plan: planFiles, do: doDup},
		72:          {name: "fcntl", plan: planFcntl, do: doFcntl},
		sysOpenat:   {name: "openat", plan: planOpen, do: doOpen},
		sysDup3:     {name: "dup3", plan: planFiles, do: doDup},

		// pipe.go, socket.go, counter.go, epoll.go
		sysPipe:        {name: "pipe", plan: planPipe, do: doPipe},
		sysSendto:      {name: "sendto", plan: planSend, do: doSend},
		sysRecvfrom:    {name: "recvfrom", plan: planReceive, do: doReceive},
		sysSendmsg:     {name: "sendmsg", plan: planSend, do: doSend},
		sysRecvmsg:     {name: "recvmsg", plan: planReceive, do: doReceive},
		48:             {name: "shutdown", plan: planShutdown, do: doShutdown},
		sysSocketpair:  {name: "socketpair", plan: planSocketpair, do: doSocketpair},
		55:             {name: "getsockopt", plan: planGetsockopt, do: doGetsockopt},
		sysEpollCreate: {name: "epoll_create", plan: planFiles, do: doEpollCreate},
		sysEpollWait:   {name: "epoll_wait", plan: planEpollWait, do: doEpollWait},
		233:            {name: "epoll_ctl", plan: planEpollCtl, do: doEpollCtl},
		sysEpollPwait:  {name: "epoll_pwait", plan: planEpollWait, do: doEpollWait},
		sysSignalfd:    {name: "signalfd", plan: planFiles, do: doSignalfd},
		283:            {name: "timerfd_create", plan: planTimerfd, do: doTimerfd},
		sysEventfd:     {name: "eventfd", plan: planFiles, do: doEventfd},
		286:            {name: "timerfd_settime", plan: planTimer, do: doTimerSettime},
		287:            {name: "timerfd_gettime", plan: planTimer, do: doTimerGettime},
		289:            {name: "signalfd4", plan: planFiles, do: doSignalfd},
		290:            {name: "eventfd2", plan: planFiles, do: doEventfd},
		291:            {name: "epoll_create1", plan: planFiles, do: doEpollCreate},
		293:            {name: "pipe2", plan: planPipe, do: doPipe},
		sysEpollPwait2: {name: "epoll_pwait2", plan: planEpollWait, do: doEpollWait},

		// timer.go
		36:  {name: "getitimer", do: doGetitimer},
		37:  {name: "alarm", do: doAlarm},
		38:  {name: "setitimer", do: doSetitimer},
		222: {name: "timer_create", do: doTimerCreate},
		223: {name: "timer_settime", do: doPosixSettime},
		224: {name: "timer_gettime", do: doPosixGettime},
		225: {name: "timer_getoverrun", do: doPosixOverrun},
		226: {name: "timer_delete", do: doPosixDelete},

		// inode.go
		sysPwrite64: {name: "pwrite64", plan: planFiles, do: doPwrite},
		74:          {name: "fsync", plan: planFiles, do: doSync},
		75:          {name: "fdatasync", plan: planFiles, do: doSync},
		77:          {name: "ftruncate", plan: planFiles, do: doFtruncate},
		285:         {name: "fallocate", plan: planFiles, do: doFallocate},
		319:         {name: "memfd_create", plan: planMemfd, do: doMemfd},

		// paths.go
		sysRename:    {name: "rename", plan: planPaths, do: doRename},
		sysMkdir:     {name: "mkdir", plan: planPaths, do: doMkdir},
		sysRmdir:     {name: "rmdir", plan: planPaths, do: doRmdir},
		sysLink:      {name: "link", plan: planPaths, do: doLink},
		sysUnlink:    {name: "unlink", plan: planPaths, do: doUnlink},
		sysMkdirat:   {name: "mkdirat", plan: planPaths, do: doMkdir},
		sysUnlinkat:  {name: "unlinkat", plan: planPaths, do: doUnlink},
		sysRenameat:  {name: "renameat", plan: planPaths, do: doRename},
		sysLinkat:    {name: "linkat", plan: planPaths, do: doLink},
		sysRenameat2: {name: "renameat2", plan: planPaths, do: doRename},

		// capture.go
		1:  {name: "write", plan: planWrite, do: doWrite},
		20: {name: "writev", plan: planWrite, do: doWritev},

		// stat.go
		4:             {name: "stat", do: doStat},
		5:             {name: "fstat", plan: planStat, do: doFstat},
		6:             {name: "lstat", do: doStat},
		16:            {name: "ioctl", plan: planIoctl, do: doIoctl},
		sysAccess:     {name: "access", do: doAccess},
		79:            {name: "getcwd", do: doGetcwd},
		89:            {name: "readlink", do: doReadlink},
		262:           {name: "newfstatat", plan: planStatat, do: doStatat},
		sysReadlinkat: {name: "readlinkat", do: doReadlink},
		269:           {name: "faccessat", do: doAccess},
		sysFaccessat2: {name: "faccessat2", do: doAccess},

		// poll.go, time.go
		sysPoll:         {name: "poll", plan: planPoll, do: doPoll},
		23:              {name: "select", plan: planSelect, do: doSelect},
		35:              {name: "nanosleep", plan: planSleep, do: doNanosleep},
		sysGettimeofday: {name: "gettimeofday", plan: planLook, do: doGettimeofday},
		sysTime:         {name: "time", plan: planLook, do: doTime},
		sysClockGettime: {name: "clock_gettime", plan: planLook, do: doClockGettime},
		229:             {name: "clock_getres", do: doClockGetres},
		270:             {name: "pselect6", plan: planSelect, do: doSelect},
		sysPpoll:        {name: "ppoll", plan: planPoll, do: doPoll},
		230:             {name: "clock_nanosleep", plan: planSleep, do: doClockNanosleep},

		// ordinary.go
		26:  {name: "msync", do: doMsync},
		95:  {name: "umask", plan: planFiles, do: doUmask},
		111: {name: "getpgrp", do: doProcessGroup},
		115: {name: "getgroups", do: doZero},
		118: {name: "getresuid", do: doGetresid},
		120: {name: "getresgid", do: doGetresid},
		121: {name: "getpgid", do: doGetpgid},
		124: {name: "getsid", do: doGetpgid},
		149: {name: "mlock", do: doMlock},
		150: {name: "munlock", do: doMlock},
		151: {name: "mlockall", do: doZero},
		152: {name: "munlockall", do: doZero},
		221: {name: "fadvise64", plan: planFiles, do: doFadvise},
		325: {name: "mlock2", do: doMlock},
		332: {name: "statx", plan: planStatx, do: doStatx},
		436: {name: "close_range", plan: planCloseRange, do: doCloseRange},
		63:  {name: "uname", do: doUname},
		102: {name: "getuid", do: doUserID},
		104: {name: "getgid", do: doUserID},
		107: {name: "geteuid", do: doUserID},
		108: {name: "getegid", do: doUserID},
		110: {name: "getppid", do: doGetppid},
		334: {name: "rseq", do: doRseq},

		// limits.go
		97:           {name: "getrlimit", do: doGetrlimit},
		sysSetrlimit: {name: "setrlimit", plan: planSetrlimit, do: doSetrlimit},
		302:          {name: "prlimit64", plan: planSetrlimit, do: doSetrlimit},

		// traits.go
		140:       {name: "getpriority", do: doGetpriority},
		141:       {name: "setpriority", plan: planSetpriority, do: doSetpriority},
		157:       {name: "prctl", plan: planPrctl, do: doPrctl},
		203:       {name: "sched_setaffinity", do: doSetaffinity},
		204:       {name: "sched_getaffinity", do: doGetaffinity},
		sysGetcpu: {name: "getcpu", do: doGetcpu},

		// policy.go
		24:  {name: "sched_yield", plan: planYield, do: doYield},
		142: {name: "sched_setparam", do: doSetparam},
		143: {name: "sched_getparam", do: doGetparam},
		144: {name: "sched_setscheduler", plan: planSetscheduler, do: doSetscheduler},
		145: {name: "sched_getscheduler", do: doGetscheduler},
		146: {name: "sched_get_priority_max", do: doPriorityMax},
		147: {name: "sched_get_priority_min", do: doPriorityMin},

		// archprctl.go
		158: {name: "arch_prctl", plan: planArchPrctl, do: doArchPrctl},

		// random.go
		318: {name: "getrandom", do: doGetrandom},

		// membarrier.go
		324: {name: "membarrier", plan: planMembarrier, do: doMembarrier},

		// remap.go
		12: {name: "brk", do: doBrk},
		25: {name: "mremap", plan: planMremap, do: doMremap},
		28: {name: "madvise", plan: planMadvise, do: doMadvise},

		// usage.go
		98:  {name: "getrusage", plan: planLook, do: doGetrusage},
		100: {name: "times", plan: planLook, do: doTimes},
		99:  {name: "sysinfo", plan: planLook, do: doSysinfo},
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
