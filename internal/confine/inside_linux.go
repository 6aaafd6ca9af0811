package confine

import (
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nobody is the user that an engine of root's becomes.
const nobody = 65534

// Inside confines this process for good, all of its threads. From then on it can't open
// a file. The calling goroutine stays on its thread, which the kernel ties this process's
// life to: the front's end is this process's.
func Inside(l Limits) (missing []Missing) {
	runtime.LockOSThread()
	layer := func(name string, f func() error) {
		if err := f(); err != nil {
			missing = append(missing, Missing{name, err.Error()})
		}
	}
	layer("another user", changeUser)
	layer("limits", func() error { return setLimits(l) })
	layer("a filter of system calls", filter)
	return missing
}

// changeUser gives up root.
func changeUser() error {
	if os.Geteuid() != 0 {
		return nil
	}
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setresgid(nobody, nobody, nobody); err != nil {
		return err
	}
	if err := syscall.Setresuid(nobody, nobody, nobody); err != nil {
		return err
	}
	// The change has undone it.
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
}

func setLimits(l Limits) error {
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: l.File, unix.RLIMIT_NOFILE: l.Files}
	if l.Processor > 0 {
		limits[unix.RLIMIT_CPU] = uint64((l.Processor + time.Second - 1) / time.Second)
	}
	for which, n := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(which, &now); err != nil {
			return err
		}
		n = min(n, now.Max)
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return err
		}
	}
	return nil
}

// filter has the kernel refuse all system calls but those of filter's program, to all
// threads of this process.
func filter() error {
	program, err := program(uint32(os.Getpid()))
	if err != nil {
		return err
	}
	return install(program, unix.SECCOMP_FILTER_FLAG_TSYNC)
}

// install gives the calling thread a filter, or, with the flag for it, all threads.
func install(program []unix.SockFilter, flags uintptr) error {
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	bad, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return errno
	}
	if bad != 0 { // a thread with a filter of its own
		return unix.EBUSY
	}
	return nil
}
