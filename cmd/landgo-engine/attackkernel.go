//go:build attack

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"landgo/internal/explore/config"
)

// call makes a system call; nil is success.
func call(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func text(s string) uintptr {
	b := append([]byte(s), 0)
	held = append(held, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

var (
	held [][]byte
	room [1 << 16]byte
)

func into() uintptr { return uintptr(unsafe.Pointer(&room[0])) }

// fromFork is the result of a raw call that makes a process: the child ends at once.
func fromFork(number uintptr, args ...uintptr) error {
	var a [3]uintptr
	copy(a[:], args)
	pid, _, errno := unix.RawSyscall(number, a[0], a[1], a[2])
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}

func front() uintptr { return uintptr(os.Getppid()) }

func init() {
	for name, f := range attacksOnKernel {
		attacks[name] = func(config.Config) error { return f() }
	}
}

// attacksOnKernel are calls that a program seldom needs, and that have let programs out
// of their rooms.
var attacksOnKernel = map[string]func() error{
	"file-in-memory": func() error { return call(unix.SYS_MEMFD_CREATE, text("x"), 0) },
	"exec-descriptor": func() error {
		return call(unix.SYS_EXECVEAT, 0, text("/bin/true"), 0, 0, 0)
	},
	"write-memory": func() error {
		var b [8]byte
		local := []unix.Iovec{{Base: &b[0], Len: 8}}
		_, err := unix.ProcessVMWritev(os.Getppid(), local, []unix.RemoteIovec{{Base: 0x400000, Len: 8}}, 0)
		return err
	},
	"pidfd":         func() error { return call(unix.SYS_PIDFD_OPEN, front(), 0) },
	"pidfd-signal":  func() error { return call(unix.SYS_PIDFD_SEND_SIGNAL, 0, uintptr(unix.SIGURG), 0, 0) },
	"pidfd-file":    func() error { return call(unix.SYS_PIDFD_GETFD, 0, 0, 0) },
	"thread-signal": func() error { return call(unix.SYS_TKILL, front(), uintptr(unix.SIGURG)) },
	"queue-signal":  func() error { return call(unix.SYS_RT_SIGQUEUEINFO, front(), uintptr(unix.SIGURG), into()) },
	"abstract-socket": func() error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrUnix{Name: "@landgo-attack"})
	},
	"socket-pair": func() error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return err
	},
	"raw-socket": func() error { _, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0); return err },
	"owner-of-socket": func() error { // the kernel would signal it
		_, err := unix.FcntlInt(3, unix.F_SETOWN, os.Getppid())
		return err
	},
	"socket-option":  func() error { return unix.SetsockoptInt(3, unix.SOL_SOCKET, unix.SO_SNDBUF, 1<<30) },
	"key":            func() error { return call(unix.SYS_ADD_KEY, text("user"), text("x"), into(), 8, ^uintptr(2)) },
	"keyring":        func() error { return call(unix.SYS_KEYCTL, 0, ^uintptr(2), 1) },
	"request-key":    func() error { return call(unix.SYS_REQUEST_KEY, text("user"), text("x"), 0, 0) },
	"user-fault":     func() error { return call(unix.SYS_USERFAULTFD, 1) },
	"perf":           func() error { return call(unix.SYS_PERF_EVENT_OPEN, into(), 0, ^uintptr(0), ^uintptr(0), 0) },
	"bpf":            func() error { return call(unix.SYS_BPF, 0, into(), 120) },
	"mount":          func() error { return unix.Mount("none", "/tmp", "tmpfs", 0, "") },
	"mount-api":      func() error { return call(unix.SYS_FSOPEN, text("tmpfs"), 0) },
	"root-folder":    func() error { return unix.Chroot("/tmp") },
	"join-namespace": func() error { return call(unix.SYS_SETNS, 0, 0) },
	"clone-namespace": func() error {
		return fromFork(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD))
	},
	"clone-process": func() error { // by the call whose flags are in memory
		*(*uint64)(unsafe.Pointer(&room[32])) = uint64(unix.SIGCHLD)
		return fromFork(unix.SYS_CLONE3, into(), 64)
	},
	"vfork": func() error { return call(unix.SYS_VFORK) },
	"by-handle": func() error {
		*(*uint32)(unsafe.Pointer(&room[0])) = 128
		if err := call(unix.SYS_NAME_TO_HANDLE_AT, 0, text("/etc/passwd"), into(), into()+1024, 0); err != nil {
			return err
		}
		return call(unix.SYS_OPEN_BY_HANDLE_AT, 0, into(), 0)
	},
	"memory-of-front": func() error {
		fd, err := unix.Open("/proc/"+strconv.Itoa(os.Getppid())+"/mem", unix.O_RDWR, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	},
	"own-descriptors": func() error {
		fd, err := unix.Open("/proc/self/fd/0", unix.O_RDWR, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	},
	"limits-of-front": func() error {
		var old unix.Rlimit
		return unix.Prlimit(os.Getppid(), unix.RLIMIT_NOFILE, nil, &old)
	},
	"raise-files": func() error {
		return unix.Prlimit(0, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 100, Max: 100}, nil)
	},
	"watch-files":     func() error { fd, err := unix.InotifyInit1(0); unix.Close(fd); return err },
	"watch-all":       func() error { return call(unix.SYS_FANOTIFY_INIT, 0, 0) },
	"shared-memory":   func() error { return call(unix.SYS_SHMGET, 0x1ab, 4096, 0o1666) },
	"semaphores":      func() error { return call(unix.SYS_SEMGET, 0x1ab, 1, 0o1666) },
	"messages":        func() error { return call(unix.SYS_MSGGET, 0x1ab, 0o1666) },
	"message-queue":   func() error { return call(unix.SYS_MQ_OPEN, text("landgo-attack"), unix.O_CREAT|unix.O_RDWR, 0o600, 0) },
	"timer":           func() error { return call(unix.SYS_TIMER_CREATE, 1, 0, into()) },
	"timer-file":      func() error { return call(unix.SYS_TIMERFD_CREATE, 1, 0) },
	"alarm":           func() error { return call(unix.SYS_ALARM, 1000) },
	"session":         func() error { return call(unix.SYS_SETSID) },
	"group":           func() error { return call(unix.SYS_SETPGID, 0, 0) },
	"priority":        func() error { return call(unix.SYS_SETPRIORITY, 0, 0, 5) },
	"real-time":       func() error { return call(unix.SYS_SCHED_SETSCHEDULER, 0, 0, into()) },
	"survive":         func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) },
	"dumpable":        func() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) },
	"filter":          func() error { return unix.Prctl(unix.PR_SET_SECCOMP, 1, 0, 0, 0) },
	"personality":     func() error { return call(unix.SYS_PERSONALITY, 0x0040000) },
	"terminal":        func() error { return call(unix.SYS_IOCTL, 3, 0x8901, into()) },
	"ports":           func() error { return call(unix.SYS_IOPL, 3) },
	"modules":         func() error { return call(unix.SYS_FINIT_MODULE, 0, text(""), 0) },
	"kernel-log":      func() error { return call(unix.SYS_SYSLOG, 10) },
	"host-name":       func() error { return call(unix.SYS_SETHOSTNAME, text("attack"), 6) },
	"clock":           func() error { return call(unix.SYS_CLOCK_ADJTIME, 0, into()) },
	"link":            func() error { return unix.Symlink("/etc/passwd", "/tmp/landgo-attack-link") },
	"folder":          func() error { return unix.Mkdir("/tmp/landgo-attack-folder", 0o700) },
	"mode":            func() error { return unix.Fchmod(0, 0o666) },
	"duplicate":       func() error { return unix.Dup2(3, 100) },
	"splice":          func() error { return call(unix.SYS_SPLICE, 0, 0, 1, 0, 0, 0) },
	"other-numbers":   func() error { return call(0x40000000 | unix.SYS_GETPID) }, // of the x32 kind
	"landlock-again":  func() error { return call(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, 1) },
	"protection-keys": func() error { return call(unix.SYS_PKEY_ALLOC, 0, 0) },
	"system-state":    func() error { return call(unix.SYS_SYSINFO, into()) },
	"inherited": func() error { // descriptors that landgo was started with
		for fd := uintptr(4); fd < 512; fd++ {
			n, _, errno := unix.Syscall(unix.SYS_READ, fd, into(), 6)
			if errno == 0 && strings.HasPrefix(string(room[:n]), "secret") {
				return nil
			}
		}
		return errors.New("none can be read")
	},
	"shared-pages": func() error { // memory that the process's size doesn't show
		var all uint64
		for begin := time.Now(); time.Since(begin) < 20*time.Second; {
			b, err := unix.Mmap(-1, 0, 64<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
			if err != nil {
				return err
			}
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
				if i&(1<<20-1) == 0 && i > 0 {
					unix.Madvise(b[i-1<<20:i], unix.MADV_DONTNEED)
				}
			}
			if all += 64 << 20; all > 1<<30 {
				return nil
			}
		}
		return errors.New("it was slow")
	},
	"flood": func() error { // messages that the front needs much memory to read
		const begin, item, end = `{"so_far":{"result":{"Bugs":[{}`, `,{}`, `]}}}`
		many := (40 << 20) / len(item)
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(begin)+many*len(item)+len(end)))
		b = append(append(append(b, begin...), bytes.Repeat([]byte(item), many)...), end...)
		for len(b) > 0 {
			n, err := unix.Write(3, b)
			if err != nil {
				return err
			}
			b = b[n:]
		}
		return nil
	},
	"threads": func() error { // each has memory of the kernel's
		const many = 8000
		var there atomic.Int32
		for range many {
			go func() {
				runtime.LockOSThread()
				there.Add(1)
				call(unix.SYS_PPOLL, 0, 0, 0, 0)
			}()
		}
		for begin := time.Now(); there.Load() < many; time.Sleep(time.Millisecond) {
			if time.Since(begin) > 20*time.Second {
				return errors.New("it was slow")
			}
		}
		return nil
	},
	"page-tables": func() error { // a page of the kernel's for each 2 MB of addresses
		const span = 1 << 40
		b, err := unix.Mmap(-1, 0, span, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err != nil {
			return err
		}
		sum := byte(0)
		for i := 0; i < span; i += 2 << 20 {
			sum += b[i]
		}
		room[0] = sum
		return nil
	},
}
