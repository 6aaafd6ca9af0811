package e2e

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// needsGDB skips a test where there is no gdb.
func needsGDB(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("gdb"); err != nil {
		t.Skip("no gdb: debugging with it isn't tested")
	}
}

// bugOf runs a guest and returns its bug file, in a folder of the test's own.
func bugOf(t *testing.T, guest string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "b.landgo")
	e := finish(t, command(t, append(append([]string{"run", "--quiet", "--out", file}, args...), guest)...))
	if e.status != result.ExitBug {
		t.Fatalf("%s: status %d\n%s%s", guest, e.status, e.stdout, e.stderr)
	}
	return file
}

// gdbOn is gdb's text in a session.
func gdbOn(t *testing.T, guest, bug, commands string) string {
	t.Helper()
	out, _ := gdbRun(t, guest, bug, commands).CombinedOutput() // a command that is refused makes its status
	return string(out)
}

// gdbSession is gdb's text in a session, to standard output and standard error, and its
// status.
func gdbSession(t *testing.T, guest, bug, commands string) (out, said string, status int) {
	t.Helper()
	gdb := gdbRun(t, guest, bug, commands)
	var stdout, stderr strings.Builder
	gdb.Stdout, gdb.Stderr = &stdout, &stderr
	if err := gdb.Run(); gdb.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), gdb.ProcessState.ExitCode()
}

// gdbRun is a gdb with a script of commands.
func gdbRun(t *testing.T, guest, bug, commands string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	script := "set pagination off\nset width 0\nset confirm off\nset sysroot /\nset remotetimeout 60\n" +
		fmt.Sprintf("target remote | %s debug --gdb %s %s\n", landgo, bug, guest) + commands + "\n"
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	gdb := exec.Command("timeout", "120", "gdb", "-nx", "-q", "-batch", "-x", "script", guest)
	gdb.Dir = dir
	return gdb
}

// has reports which text isn't in an output, in the order given.
func has(out string, want ...string) (missing string) {
	for _, w := range want {
		i := strings.Index(out, w)
		if i < 0 {
			return w
		}
		out = out[i+len(w):]
	}
	return ""
}

// TestDebug: gdb goes to and fro in the recorded runs of each kind of guest.
func TestDebug(t *testing.T) {
	needsGDB(t)
	for _, c := range []struct {
		guest, commands string
		args            []string
		want            []string
	}{
		{guest: "glibc-O1/deadlock_two", commands: "info threads\nmonitor locks\nmonitor cause\ncontinue", want: []string{
			`"0 main" (waits for thread 0.1 to end; schedule s1:`, `"0.1 forth" (waits for mutex b, which 0.2 holds)`, `"0.2 back" (waits for mutex a, which 0.1 holds)`,
			"0.1 forth holds a and waits for mutex b, which 0.2 holds", "deadlock: threads wait for each other in a cycle", "No more reverse-execution history"}},
		{guest: "glibc-O1/use_after_free", commands: "break free\nreverse-continue\nup\nmonitor where", want: []string{
			`Thread 3 "0.2 writer" hit Breakpoint 1`, "writer (arg=0x0) at linux/use_after_free.c:33", "* 0.2 writer, instruction", "next: frees"}},
		// The store that raced, by its value; then each call of the function, the last first.
		{guest: "musl-O1/lost_update", commands: "watch x if x == 0\nreverse-continue\ndelete\nbreak add\nreverse-continue\nreverse-continue\nnext\nprint $_thread\nmonitor who-wrote x\nmonitor at #4\ncontinue\nmonitor what-if 0\nmonitor what-if T1\nmonitor who-wrote *&x", want: []string{
			`"0.2 add" hit Hardware watchpoint`, "New value = 0", "linux/lost_update.c:21",
			`"0.2 add" hit Breakpoint`, `"0.1 add" hit Breakpoint`, "int v = x", "nothing was stored",
			"continue goes to moment", "thread 0 main can't go on here: it waits for thread 0.1 to end", "it ends with a bug: assertion", "schedule  s1:", "0.2 add, at moment"}},
		{guest: "pie/lost_update", commands: "break add\nreverse-continue\ninfo symbol $pc", want: []string{"hit Breakpoint 1, add", "add in section .text"}},
		{guest: "pebbles-i386/queue-cond_unlocks_first-cond", commands: "info threads\nbt 1\nreverse-stepi\nreverse-stepi\nstepi\nshow architecture\nmonitor what-if 9", want: []string{
			`"0 `, "i386", `there is no thread "9" at this moment`}},
		{guest: "kernel/kernel-release_off", args: []string{"--cmdline", "test=lock", "--pp", "mem"}, commands: "info threads\nreverse-stepi\nreverse-stepi\nstepi\nmonitor lanes\nx/i $pc", want: []string{
			`"0 ready"`, "landgo_panicked", "panic.c:30", "0.2 thread_entry: moments", "after a preemption", "=> 0x1"}},
	} {
		t.Run(c.guest, func(t *testing.T) {
			t.Parallel()
			guest := compile.Guest(t, c.guest)
			out := gdbOn(t, guest, bugOf(t, guest, c.args...), c.commands)
			if missing := has(out, c.want...); missing != "" {
				t.Errorf("gdb doesn't say %q:\n%s", missing, out)
			}
		})
	}
}

// dynamicUpdate is lost_update, dynamically linked.
func dynamicUpdate(t *testing.T) string {
	t.Helper()
	guest := filepath.Join(t.TempDir(), "dynamic")
	if text, err := exec.Command("gcc", "-g", "-O1", "-pthread", "-o", guest, filepath.Join(top, "guests/linux/lost_update.c")).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	return guest
}

// TestDebugDynamic: gdb finds the libraries of a dynamically linked program.
func TestDebugDynamic(t *testing.T) {
	t.Parallel()
	needsGDB(t)
	guest := dynamicUpdate(t)
	out := gdbOn(t, guest, bugOf(t, guest), "watch x\nreverse-continue\nbt\ninfo sharedlibrary")
	if missing := has(out, `hit Hardware watchpoint`, "lost_update.c:21", "in clone", "libc.so.6"); missing != "" {
		t.Errorf("gdb doesn't say %q:\n%s", missing, out)
	}
}

// TestDebugAccepted: the acceptance session, with both C libraries, static, position-independent
// and dynamically linked. A watchpoint for every access stops at the same ones in both
// directions, the run can't be changed, and a session says the same each time. gdb writes what
// monitor says to standard error. Its standard output has the schedule in the list of threads,
// and its status is 0, for no command of the script fails.
func TestDebugAccepted(t *testing.T) {
	needsGDB(t)
	for _, variant := range []string{"glibc-O1", "glibc-O2", "musl-O1", "musl-O2", "pie", "dynamic"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			var guest string
			if variant == "dynamic" {
				guest = dynamicUpdate(t)
			} else {
				guest = compile.Guest(t, variant, "lost_update")
			}
			bug := bugOf(t, guest)
			commands := "info threads\nprint x\nwatch x\nreverse-continue\ninfo threads\ndelete\ncontinue\nawatch x\n" + strings.Repeat("reverse-continue\n", 6) + strings.Repeat("continue\n", 5) + "delete\ncontinue\nmonitor schedule\nprint x = 7\nprint x\nreverse-stepi\nprint x"
			out, said, status := gdbSession(t, guest, bug, commands)
			var got []string
			for _, hit := range regexp.MustCompile(`(?m)^Thread [0-9]+ "(.*)" hit Hardware access`).FindAllStringSubmatch(out, -1) {
				got = append(got, hit[1])
			}
			want := "0 main,0.1 add,0.2 add,0.2 add,0.1 add,0.1 add,0.2 add,0.2 add,0.1 add,0 main"
			if strings.Join(got, ",") != want {
				t.Errorf("accesses by %q\n%s", got, out)
			}
			file, err := result.ReadBugFile(bug)
			if err != nil {
				t.Fatal(err)
			}
			if missing := has(out, "$1 = 1", `hit Hardware watchpoint`, "received signal SIGABRT", "No more reverse-execution history", "received signal SIGABRT", "$2 = 7", "$3 = 7", "$4 = 1"); missing != "" || status != 0 || len(file.Schedule) <= 64 && !strings.Contains(out, file.Schedule) {
				t.Errorf("gdb doesn't say %q, or the schedule; its status is %d:\n%s", missing, status, out)
			}
			if missing := has(said, file.Schedule, "the run is recorded, and stays as it is"); missing != "" {
				t.Errorf("gdb doesn't say %q on standard error:\n%s", missing, said)
			}
			if again, _, _ := gdbSession(t, guest, bug, commands); again != out {
				t.Errorf("the session says another thing:\n%s\n%s", out, again)
			}
		})
	}
}

// TestDebugStartsGDB: without --gdb, gdb is started, and has landgo's commands.
func TestDebugStartsGDB(t *testing.T) {
	t.Parallel()
	needsGDB(t)
	guest := compile.Guest(t, "musl-O1/lost_update")
	cmd := command(t, "debug", bugOf(t, guest), guest)
	cmd.Stdin = strings.NewReader("set width 0\nat #3\nmonitor where\nquit\n")
	e := finish(t, cmd)
	if missing := has(e.stderr, "assertion failed: x == 2", "continue goes to moment", "in turn 3 of 5", "* 0.2 add"); e.status != 0 || missing != "" {
		t.Errorf("status %d, without %q\n%s%s", e.status, missing, e.stdout, e.stderr)
	}
}

// TestDebugAt: --at has the run stand at the beginning of a turn first. The turns are those
// that a page has, whose threads take them.
func TestDebugAt(t *testing.T) {
	t.Parallel()
	needsGDB(t)
	for _, c := range []struct {
		guest string
		args  []string
	}{{"glibc-O1/lost_update", nil}, {"musl-O1/deadlock_two", nil}, {"musl-O1/lost_update", []string{"--model", "tso"}}, {"pebbles-i386/queue-cond_unlocks_first-cond", nil}, {"kernel/kernel-release_off", []string{"--cmdline", "test=lock", "--pp", "mem"}}} {
		guest := compile.Guest(t, c.guest)
		bug := bugOf(t, guest, c.args...)
		lanes := regexp.MustCompile(`(?m)^. +(\d+) +([^ ]+).*: moments`).FindAllStringSubmatch(gdbOn(t, guest, bug, "monitor lanes"), -1)
		e := finish(t, command(t, "replay", "--json", "--quiet", bug, guest))
		var turns []string
		for _, event := range e.decode(t).Account {
			if n := len(turns); n == 0 || turns[n-1] != event.Thread {
				turns = append(turns, event.Thread)
			}
		}
		var threads []string
		for i, lane := range lanes {
			if lane[1] != fmt.Sprint(i+1) {
				t.Errorf("%s: %q", c.guest, lane)
			}
			if thread := lane[2]; thread[0] < '0' || thread[0] > '9' { // a store buffer
				turns[min(i, len(turns)-1)] = thread
			}
			threads = append(threads, lane[2])
		}
		if len(turns) < 2 || strings.Join(threads, " ") != strings.Join(turns, " ") {
			t.Errorf("%s: the debugger's turns are of %q, the page's of %q", c.guest, threads, turns)
		}
	}
	guest := compile.Guest(t, "glibc-O1/lost_update")
	bug := bugOf(t, guest)
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte(fmt.Sprintf("set sysroot /\nset width 0\nset remotetimeout 60\ntarget remote | %s debug --gdb --at 3 %s %s\nmonitor where\n", landgo, bug, guest)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := exec.Command("timeout", "120", "gdb", "-nx", "-q", "-batch", "-x", script, guest).CombinedOutput()
	if missing := has(string(out), "in turn 3 of 5", "* 0.2 add, instruction 0"); missing != "" || strings.Contains(string(out), "SIGABRT") {
		t.Errorf("gdb doesn't say %q:\n%s", missing, out)
	}
	e := finish(t, command(t, "debug", "--gdb", "--at", "6", bug, guest))
	if e.status != result.ExitUsage || !strings.Contains(e.stderr, "--at 6: the run has the turns 1 to 5") {
		t.Errorf("status %d: %s", e.status, e.stderr)
	}
}

// TestDebugListens: a debugger connects to a socket. No gdb is needed for that.
func TestDebugListens(t *testing.T) {
	t.Parallel()
	guest := compile.Guest(t, "musl-O1/lost_update")
	bug := bugOf(t, guest)
	socket := filepath.Join(t.TempDir(), "s")
	cmd := command(t, "debug", "--listen", "unix:"+socket, bug, guest)
	said := ""
	e := finish(t, cmd, func(*os.Process) {
		var conn net.Conn
		for range 200 {
			var err error
			if conn, err = net.Dial("unix", socket); err == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if conn == nil {
			return
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprint(conn, "$?#3f")
		said, _ = bufio.NewReader(conn).ReadString('#')
		fmt.Fprint(conn, "$k#6b")
	})
	if e.status != 0 || said != "+$T06thread:1;#" || !strings.Contains(e.stderr, "target remote "+socket) {
		t.Errorf("status %d, %q\n%s%s", e.status, said, e.stdout, e.stderr)
	}
	for _, args := range [][]string{{"--listen", "0.0.0.0:1"}, {"--gdb", "--listen", "localhost:1"}, {"--program", "/none/gdb"}} {
		e := finish(t, command(t, append(append([]string{"debug"}, args...), bug, guest)...))
		if e.status != result.ExitUsage {
			t.Errorf("%v: status %d: %s", args, e.status, e.stderr)
		}
	}
}
