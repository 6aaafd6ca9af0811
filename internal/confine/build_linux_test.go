package confine

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && (os.Args[1] == BuildWarden || os.Args[1] == BuildInside) {
		os.Exit(BuildPart(os.Args[1]))
	}
	os.Exit(m.Run())
}

// rooms counts them: each has a user of its own.
var rooms int

// room is a folder that a build may write beneath, and the build.
func room(t *testing.T, command string) *Build {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "landgo-confine-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b := &Build{Command: command, Dir: dir, Work: dir, Env: []string{"PATH=/usr/bin:/bin", "TMPDIR=" + dir},
		Time: 20 * time.Second, Memory: 512 << 20, Disk: 32 << 20, Output: 1 << 20, Kept: 4 << 10, Processes: 40, Files: 500}
	if os.Geteuid() == 0 {
		rooms++
		b.User = 61184 + (os.Getpid()+rooms)%4000
		if err := os.Chown(dir, b.User, b.User); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func build(t *testing.T, b *Build) *BuildEnd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	end, err := b.Run(context.Background(), self)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > b.Time+15*time.Second {
		t.Errorf("it took %v", took)
	}
	if len(end.Missing) > 0 {
		t.Logf("without %s", Tell(end.Missing))
	}
	return end
}

// TestBuild: a build that is none of an attack's works.
func TestBuild(t *testing.T) {
	b := room(t, "cat >x.c <<'E'\nint main(void) { return 0; }\nE\ngcc -o sub/x x.c || mkdir sub && gcc -o sub/x x.c && mv sub/x x && ./x && echo good")
	end := build(t, b)
	if end.Status != 0 || end.Limit != "" || !strings.HasSuffix(end.Said, "good\n") {
		t.Errorf("%+v", end)
	}
	if info, err := os.Stat(filepath.Join(b.Dir, "x")); err != nil || info.Size() < 1000 {
		t.Errorf("no program: %v", err)
	}
}

// compiled is a command that runs the body of a program in C.
func compiled(body string) string {
	return "cat >x.c <<'E'\n#define _GNU_SOURCE\n#include <sys/mman.h>\n#include <unistd.h>\nint main(void) { " + body + " return 0; }\nE\ngcc -o x x.c && exec ./x"
}

// TestBuildLimits: a build that takes too much of something is ended, with all that it
// has started.
func TestBuildLimits(t *testing.T) {
	for _, c := range []struct {
		name, command, limit string
		change               func(*Build)
	}{
		{"endless", "while :; do :; done", "it took more than 1s", func(b *Build) { b.Time = time.Second }},
		{"sleeps", "sleep 1000", "it took more than 1s", func(b *Build) { b.Time = time.Second }},
		{"forks", "f() { f | f & }; f; sleep 1000", "", func(b *Build) { b.Time = 2 * time.Second }},
		{"output", "yes", "of output", nil},
		{"files", "i=0; while [ $i -lt 2000 ]; do : >$i; i=$((i+1)); done; sleep 5", "more than 500 files", nil},
		{"disk", "for i in 1 2 3 4 5 6; do head -c 16M /dev/zero >$i; done; sleep 5", "its files have more than", nil},
		{"memory", "head -c 1G /dev/zero | tail -c 1G >/dev/null & head -c 1G /dev/zero | tail -c 1G >/dev/null; wait", "", func(b *Build) { b.Memory = 64 << 20 }},
		{"hidden memory", compiled(`unsigned char *p = mmap(0, 256 << 20, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
			for (long i = 0; i < 256 << 20; i += 4096) { p[i] = 1; if (!(i & 0xfffff)) madvise(p, i, MADV_DONTNEED); } sleep(3);`), "MiB of memory", func(b *Build) { b.Memory = 128 << 20 }},
		{"leaves processes", "(setsid sleep 1000 &) ; (setsid sh -c 'trap \"\" TERM HUP; sleep 1001' &); exit 3", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := room(t, c.command)
			if c.change != nil {
				c.change(b)
			}
			end := build(t, b)
			if end.Status == 0 || !strings.Contains(end.Limit, c.limit) {
				t.Errorf("%+v", end)
			}
			if len(end.Said) > int(b.Kept) {
				t.Errorf("%d bytes of output are kept", len(end.Said))
			}
			left, err := filepath.Glob("/proc/[0-9]*")
			if err != nil {
				t.Fatal(err)
			}
			for _, dir := range left {
				cwd, _ := os.Readlink(dir + "/cwd")
				if strings.HasPrefix(cwd, b.Dir) {
					t.Errorf("%s is left", dir)
				}
			}
		})
	}
}

// TestBuildConfined: a build reads nothing of the user's, writes nowhere else, has no
// network, and signals nothing. Without confinement each of these goes, so that the test
// would see it.
func TestBuildConfined(t *testing.T) {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); errno != 0 {
		t.Skipf("this kernel has no landlock: %v", errno)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	os.Chmod(filepath.Dir(secret), 0o755)
	outside, err := os.MkdirTemp("/tmp", "landgo-outside-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(outside)
	os.Chmod(outside, 0o777)
	left, err := unix.Open(secret, unix.O_RDONLY, 0) // as landgo's own parent may leave one
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(left)
	for name, command := range map[string]string{
		"reads":     "cat " + secret,
		"inherits":  fmt.Sprintf("bash -c 'cat <&%d'", left),
		"passwords": "cat /etc/passwd",
		"includes":  "echo '#include \"/etc/passwd\"' >x.c; gcc -E x.c | grep root",
		"lists":     "ls " + outside,
		"writes":    "echo x >" + outside + "/file",
		"links":     "ln " + secret + " stolen",
		"connects":  fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d", listener.Addr().(*net.TCPAddr).Port),
		"sends":     "exec 3<>/dev/udp/127.0.0.1/9",
		"asks proc": fmt.Sprintf("cat /proc/%d/status", os.Getpid()),
		"signals":   fmt.Sprintf("kill -0 %d", os.Getpid()),
		"namespace": "unshare -Ur true",
	} {
		t.Run(name, func(t *testing.T) {
			if name == "connects" || name == "sends" {
				command = "bash -c '" + command + "'"
			}
			if end := build(t, room(t, command)); end.Status == 0 || end.Limit != "" {
				t.Errorf("confined: %+v", end)
			}
			free := room(t, command)
			free.Level, free.User = Off, 0
			if end := build(t, free); end.Status != 0 && name != "links" && name != "namespace" {
				t.Errorf("not confined: %+v", end)
			}
		})
	}
}

// TestFrontEnds: with the front's end, a build ends.
func TestFrontEnds(t *testing.T) {
	b := room(t, "(setsid sleep 1002 &); sleep 1003")
	ctx, cancel := context.WithTimeout(context.Background(), 700*time.Millisecond)
	defer cancel()
	self, _ := os.Executable()
	if _, err := b.Run(ctx, self); err != context.DeadlineExceeded {
		t.Errorf("%v", err)
	}
	left, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range left {
		if cwd, _ := os.Readlink(dir + "/cwd"); strings.HasPrefix(cwd, b.Dir) {
			t.Errorf("%s is left", dir)
		}
	}
}

// TestWardenKilled: kill -9 of a build's warden leaves nothing of the build, also what has
// left its group and its parents.
func TestWardenKilled(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it takes root to make a user, or a namespace, for a build")
	}
	b := room(t, "(setsid sh -c 'sleep 1004 & sleep 1005' &); touch there; sleep 1006")
	self, _ := os.Executable()
	over := make(chan error)
	go func() {
		_, err := b.Run(context.Background(), self)
		over <- err
	}()
	for there := false; !there; time.Sleep(10 * time.Millisecond) {
		_, err := os.Stat(filepath.Join(b.Dir, "there"))
		there = err == nil
	}
	time.Sleep(100 * time.Millisecond)
	killed := 0
	for _, p := range processes() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		if p.parent == os.Getpid() && strings.Contains(string(line), BuildWarden) {
			unix.Kill(p.pid, unix.SIGKILL)
			killed++
		}
	}
	if err := <-over; err == nil || killed != 1 {
		t.Fatalf("%d wardens killed, %v", killed, err)
	}
	none := func(when string) {
		t.Helper()
		for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			left, err := exec.Command("pgrep", "-U", fmt.Sprint(b.User)).Output()
			if len(left) == 0 && err != nil {
				return
			}
			if time.Since(begin) > 5*time.Second {
				t.Fatalf("%s: left are %s", when, left)
			}
		}
	}
	none("the warden was killed")

	// Where there is no namespace, by the user.
	for range 3 {
		cmd := exec.Command("sleep", "1007")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(b.User)}}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go cmd.Wait()
	}
	b.sweepUser()
	none("by the user")
}
