package linux

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The probes in testdata use one feature each. They run to their end here and
// natively, and have to exit and print alike.
var probes = []struct {
	name  string
	calls string // some that must have been met on glibc
	env   []string
	stdin string
	file  string // content of a file given as the only argument
	makes bool   // it makes files, in a folder of its own
}{
	{name: "hello", calls: "exit_group write newfstatat|fstat", env: []string{"GREETING=hi"}},
	{name: "join", calls: "clone3 exit mmap mprotect"},
	{name: "mutex", calls: "futex(FUTEX_WAIT) futex(FUTEX_WAKE)"},
	{name: "kinds"},
	{name: "cond", calls: "clock_nanosleep futex(FUTEX_WAIT_BITSET)"},
	{name: "sem"},
	{name: "barrier"},
	{name: "rwlock"},
	{name: "once"},
	{name: "pi", calls: "futex(FUTEX_LOCK_PI) futex(FUTEX_UNLOCK_PI)"},
	{name: "robust", calls: "set_robust_list"},
	{name: "timed", calls: "clock_gettime"},
	{name: "cancel", calls: "tgkill rt_sigaction"},
	{name: "abort", calls: "tgkill"},
	{name: "assert", calls: "tgkill"},
	{name: "malloc", calls: "munmap mremap"},
	{name: "detach", calls: "exit"},
	{name: "sleep", calls: "poll pselect6 time"},
	{name: "signals", calls: "rt_sigreturn sigaltstack kill rt_sigtimedwait"},
	{name: "attr", calls: "openat read close"},
	{name: "stdin", stdin: "one\ntwo\n", file: "alpha\nbeta\n", calls: "openat lseek pread64 dup"},
	{name: "nested", calls: "clone3"},
	{name: "said", calls: "prctl setpriority sched_setaffinity prlimit64 setrlimit"},
	{name: "values", calls: "select|pselect6 ppoll epoll_ctl mremap madvise lseek fcntl(F_SETPIPE_SZ)|fcntl recvfrom"},
	{name: "ends", calls: "eventfd2 memfd_create", makes: true},
	{name: "names", calls: "mkdir rename link unlink rmdir renameat2", makes: true},
}

func TestProbes(t *testing.T) {
	for _, p := range probes {
		source, err := os.ReadFile(filepath.Join("testdata", p.name+".c"))
		if err != nil {
			t.Fatal(err)
		}
		for _, tc := range toolchains {
			t.Run(p.name+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				guest := tc.build(t, string(source))
				args := []string{guest}
				files := map[string]string{}
				if p.file != "" {
					host := filepath.Join(t.TempDir(), "file")
					if err := os.WriteFile(host, []byte(p.file), 0o644); err != nil {
						t.Fatal(err)
					}
					args = append(args, host)
					files[host] = host
				}
				status, signal, output := native(t, args, p.env, p.stdin)
				d := newDriver(t, guest, Config{Args: args, Env: p.env, Stdin: []byte(p.stdin), Files: files, WriteFiles: p.makes})
				d.run(500_000)
				if d.why != "" {
					t.Errorf("stopped: %s", d.why)
				}
				if !d.over || d.status != status || d.signal != signal {
					t.Errorf("over %v, status %d, signal %d; natively %d, %d", d.over, d.status, d.signal, status, signal)
				}
				if got := d.k.Output(1); !bytes.Equal(got, output) {
					t.Errorf("output %q, natively %q", got, output)
				}
				if tc.name != "glibc" {
					return
				}
				for _, name := range strings.Fields(p.calls) {
					// Which of two it calls is up to the version of glibc.
					if !slices.ContainsFunc(strings.Split(name, "|"), func(n string) bool { return d.calls[n] }) {
						t.Errorf("%s wasn't called; met: %s", name, d.met())
					}
				}
			})
		}
	}
}

// native runs a guest on the host.
func native(t *testing.T, args, env []string, stdin string) (status, signal int, output []byte) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Dir = env, t.TempDir()
	if env == nil {
		cmd.Env = []string{}
	}
	cmd.Stdin = strings.NewReader(stdin)
	cmd.WaitDelay = time.Minute
	output, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	ws := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return 0, int(ws.Signal()), output
	}
	return ws.ExitStatus(), 0, output
}
