//go:build attack

// An engine that a guest has taken over, for the test of its confinement: the guest's
// name says what it tries. Should it succeed, it says so.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"landgo/internal/explore/config"
	"landgo/internal/host"
	"landgo/internal/result"
	"landgo/internal/wire"
)

func init() { engine = attacker{} }

type attacker struct{ explorer }

// attacks return nil if they succeed.
var attacks = map[string]func(config.Config) error{
	"nothing": func(config.Config) error { return errors.New("it tried nothing") },
	"read": func(config.Config) error {
		_, err := os.ReadFile("/etc/passwd")
		return err
	},
	"read-at": func(config.Config) error {
		fd, err := unix.Openat2(unix.AT_FDCWD, "/etc/passwd", &unix.OpenHow{})
		unix.Close(fd)
		return err
	},
	"environment": func(config.Config) error {
		if os.Getenv("PATH") == "" {
			return errors.New("it has no PATH")
		}
		return nil
	},
	"write": func(config.Config) error { return os.WriteFile("/tmp/landgo-attack", nil, 0o600) },
	"list": func(config.Config) error {
		_, err := os.ReadDir("/")
		return err
	},
	"stat": func(config.Config) error {
		_, err := os.Stat("/etc/passwd")
		return err
	},
	"remove": func(c config.Config) error { return os.Remove(c.Guest) },
	"ask": func(config.Config) error { // the front for a file that the user didn't name
		_, err := host.Open("/etc/passwd")
		return err
	},
	"ask-write": func(c config.Config) error {
		_, err := host.Create(c.Guest)
		return err
	},
	"ask-folder": func(c config.Config) error {
		dir, _ := c.SnapshotDir()
		_, err := host.Cache(filepath.Join(dir, "..", "x.boot"), 0)
		return err
	},
	"connect": func(config.Config) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		err = unix.Connect(fd, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}})
		if err == unix.ECONNREFUSED { // it got there
			return nil
		}
		return err
	},
	"listen": func(config.Config) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Listen(fd, 1)
	},
	"interfaces": func(config.Config) error {
		_, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
		return err
	},
	"exec": func(config.Config) error {
		_, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
		return err
	},
	"exec-self": func(config.Config) error { return unix.Exec("/proc/self/exe", nil, nil) },
	"fork": func(config.Config) error {
		pid, _, errno := unix.RawSyscall(unix.SYS_FORK, 0, 0, 0)
		if errno != 0 {
			return errno
		}
		if pid == 0 {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return nil
	},
	"clone": func(config.Config) error {
		pid, _, errno := unix.RawSyscall(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0)
		if errno != 0 {
			return errno
		}
		if pid == 0 {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return nil
	},
	"ptrace":     func(config.Config) error { return unix.PtraceSeize(os.Getppid()) },
	"signal":     func(config.Config) error { return unix.Kill(os.Getppid(), unix.SIGURG) },
	"signal-tid": func(config.Config) error { return unix.Tgkill(os.Getppid(), os.Getppid(), unix.SIGURG) },
	"read-memory": func(config.Config) error {
		var b [8]byte
		local := []unix.Iovec{{Base: &b[0], Len: 8}}
		_, err := unix.ProcessVMReadv(os.Getppid(), local, []unix.RemoteIovec{{Base: 0x400000, Len: 8}}, 0)
		return err
	},
	"namespace": func(config.Config) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"root":      func(config.Config) error { return syscall.Setresuid(0, 0, 0) },
	"ring": func(config.Config) error {
		var params [120]byte
		_, _, errno := unix.Syscall(425, 1, uintptr(unsafe.Pointer(&params[0])), 0) // io_uring_setup
		if errno != 0 {
			return errno
		}
		return nil
	},
	"limits": func(config.Config) error {
		return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1})
	},
	"descriptors": func(config.Config) error {
		for range 5000 {
			if _, err := unix.Eventfd(0, 0); err != nil {
				return err
			}
		}
		return nil
	},
	"large-file": func(config.Config) error {
		f, err := host.Temporary()
		if err != nil {
			return nil // that is no success of confinement
		}
		return f.Truncate(1 << 40)
	},
	"memory": func(c config.Config) error {
		for begin := time.Now(); time.Since(begin) < 20*time.Second; {
			kept = append(kept, make([]byte, 8<<20))
			for i := 0; i < 8<<20; i += 4096 {
				kept[len(kept)-1][i] = 1
			}
			if uint64(len(kept))*8<<20 > 2*uint64(c.Memory) {
				return nil
			}
		}
		return errors.New("it was slow")
	},
	"time": func(c config.Config) error {
		for begin := time.Now(); time.Since(begin) < c.Time+20*time.Second; {
			runtime.Gosched()
		}
		return nil
	},
}

var kept [][]byte

// Run tries what the guest's name says.
func (attacker) Run(_ context.Context, c config.Config, _ wire.Observer) (*result.Result, error) {
	attack, ok := attacks[filepath.Base(c.Guest)]
	if !ok {
		return nil, fmt.Errorf("no attack %q", c.Guest)
	}
	if err := attack(c); err != nil {
		return nil, fmt.Errorf("refused: %w", err)
	}
	return nil, errors.New("succeeded")
}
