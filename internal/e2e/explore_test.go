package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// exploring has landgo explore carry commands out, from standard input.
func exploring(t *testing.T, dir string, commands []string, args ...string) ending {
	t.Helper()
	cmd := command(t, append([]string{"explore"}, args...)...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\n")
	return finish(t, cmd)
}

// TestExplore: threads are chosen by hand in each kind of guest, from its beginning or along
// a bug's schedule, and what was chosen is saved and replayed.
func TestExplore(t *testing.T) {
	for _, c := range []struct {
		guest    string
		bug      bool // its bug file is opened
		args     []string
		commands []string
		want     []string
		saved    int // the status of a replay of what is saved
	}{
		{guest: "glibc-O1/lost_update", commands: []string{"run 0", "watch x", "1", "2", "threads", "what-if 1", "run 1", "run 2", "run 0", "lanes", "save"}, saved: result.ExitBug, want: []string{
			"* 0   T0", "begins, creates T1 add, creates T2 add", "x = 0", "T1 add", "reads x: 0", "T2 add", "[preempts]",
			"waits for T1 add to end", "next: writes x", "it ends with a bug: assertion", "writes x: 0 -> 1", "x = 1", "writes x: 1 -> 1", "with a bug: assertion", ". * .", "runs to the bug again"}},
		{guest: "musl-O1/lost_update", commands: []string{"run 0", "run 1", "run 2", "run 0", "output", "save"}, saved: result.ExitBudget, want: []string{"the run is over: the process has ended", "runs these steps again"}},
		{guest: "glibc-O1/deadlock_two", bug: true, commands: []string{"go end", "threads", "back 2", "undo", "next", "2", "1", "opened", "go end", "save"}, saved: result.ExitBug, want: []string{
			"steps lie ahead", "with a bug: deadlock", "waits for mutex b, which T2 back holds", "there is no choice to take back", "with a bug: deadlock"}},
		{guest: "stripped/lost_update", bug: true, commands: []string{"go end", "print nothing"}, want: []string{"with a bug: assertion", "there is no global or static variable"}},
		{guest: "pebbles-i386/queue-cond_unlocks_first-cond", bug: true, commands: []string{"go end", "back 3", "what-if 1", "what-if 0"}, want: []string{
			"with a bug: deadlock", "can't go on here: it ended", "it ends with a bug: deadlock"}},
		{guest: "pebbles-i386/queue-sem_twice-sem", bug: true, commands: []string{"go end", "lanes", "print unit.count"}, want: []string{"unit.guard.next", "unit.count = "}},
		{guest: "kernel/kernel-release_off", args: []string{"--cmdline", "test=lock", "--pp", "mem"}, bug: true, commands: []string{"go end", "back 2", "what-if 1", "what-if 0", "take", "go end", "save"}, saved: result.ExitBudget, want: []string{
			"acquires lock.holder", "turns interrupts off", "the kernel panics", "it ends with a bug: assertion: the kernel panics", "it ends without a bug", `prints "test lock: passed\n"`, "the run is over"}},
		{guest: "glibc-O1/lost_update", args: []string{"--model", "tso"}, commands: []string{"run 0", "run 1", "threads", "run 1b", "threads"}, want: []string{
			"waits until its stores are in memory", "* 1b  T1's stores", "next: x reaches memory", "x reaches memory: 0 -> 1", "holds no store"}},
	} {
		t.Run(strings.Join(append(c.args, c.guest), " "), func(t *testing.T) {
			t.Parallel()
			dir, guest := t.TempDir(), compile.Guest(t, c.guest)
			args := append(c.args, guest)
			if c.bug {
				args = []string{bugOf(t, guest, c.args...)}
			}
			e := exploring(t, dir, c.commands, args...)
			failed := strings.Contains(e.stdout, "error: ")
			if missing := has(e.stdout, c.want...); missing != "" || e.stderr != "" || (e.status == result.ExitUsage) != failed || e.status != 0 && !failed {
				t.Errorf("status %d, it doesn't say %q:\n%s%s", e.status, missing, e.stdout, e.stderr)
			}
			if again := exploring(t, t.TempDir(), c.commands, args...); again.stdout != e.stdout {
				t.Errorf("a second time it says:\n%s\nthe first:\n%s", again.stdout, e.stdout)
			}
			file := filepath.Join(dir, filepath.Base(guest)+".byhand.landgo")
			if c.saved == 0 {
				return
			}
			if e := finish(t, command(t, "replay", "--quiet", file)); e.status != c.saved {
				t.Errorf("the replay of what was saved has status %d, want %d:\n%s%s", e.status, c.saved, e.stdout, e.stderr)
			}
			if e := exploring(t, dir, []string{"go end"}, file); e.status != 0 || !strings.Contains(e.stdout, "the run is over") {
				t.Errorf("what was saved, explored again: status %d\n%s%s", e.status, e.stdout, e.stderr)
			}
		})
	}
}

// TestExploreScript: commands come from a file, too, and sources are compiled first; a
// guest that can't be run is refused with the reason.
func TestExploreScript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "commands")
	if err := os.WriteFile(script, []byte("# comment\nstep\nthreads\nquit\nnonsense\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, "explore", "--script", script, filepath.Join(top, "guests/linux/lost_update.c"))
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir)
	if e := finish(t, cmd); e.status != 0 || has(e.stdout, "> step", "creates T1", "* 1", "next: reads x") != "" {
		t.Errorf("status %d\n%s%s", e.status, e.stdout, e.stderr)
	}
	for _, c := range []struct{ args, want string }{
		{"none", "no such file"},
		{script, "[not-elf]"},
		{"", "no guest given"},
		{"--pp race " + compile.Guest(t, "glibc-O1/lost_update"), "--pp race means what a search finds racing"},
		{"--script none " + compile.Guest(t, "glibc-O1/lost_update"), "no such file"},
	} {
		if e := exploring(t, dir, nil, strings.Fields(c.args)...); e.status == 0 || !strings.Contains(e.stderr, c.want) || strings.Count(e.stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %s%s; want %q", c.args, e.status, e.stdout, e.stderr, c.want)
		}
	}
}

// TestExploreJSON: each command is answered by a line of JSON, in which steps are reported once;
// the first line is the beginning's. A refused command has its error there.
func TestExploreJSON(t *testing.T) {
	t.Parallel()
	guest := compile.Guest(t, "glibc-O1/lost_update")
	e := exploring(t, t.TempDir(), []string{"run 0", "watch x", "1", "2", "run 1", "what-if 1", "what-if 2", "back 1", "step 9", "go end"}, "--json", guest)
	var all []result.Exploring
	for _, line := range strings.Split(strings.TrimSuffix(e.stdout, "\n"), "\n") {
		var x result.Exploring
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&x); err != nil || x.Schema != result.ExploringSchema {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, x)
	}
	if e.status != result.ExitUsage || len(all) != 11 || e.stderr != "" {
		t.Fatalf("status %d, %d lines\n%s%s", e.status, len(all), e.stdout, e.stderr)
	}
	if all[0].Command != "" || len(all[0].Threads) == 0 || !all[0].Threads[0].Ready || all[0].Threads[0].Thread != "0" {
		t.Errorf("the beginning: %+v", all[0])
	}
	var steps []result.ExploringStep
	for i, x := range all {
		steps = append(steps[:x.Kept], x.Steps...)
		if x.At > len(steps) {
			t.Errorf("line %d stands at step %d of %d", i, x.At, len(steps))
		}
	}
	if one := all[3]; one.Command != "1" || len(one.Steps) != 1 || one.Kept != 1 || one.Steps[0].Thread != "0.1" || one.Steps[0].Does != "reads x: 0" || one.Steps[0].Line != 20 ||
		len(one.Watched) != 1 || one.Watched[0].Value != "0" || one.Threads[1].Label != "T1 add" || one.Threads[1].About != "writes x" {
		t.Errorf("%+v", one)
	}
	if preempts := all[4].Steps; len(preempts) != 1 || !preempts[0].Preempts {
		t.Errorf("%+v", preempts)
	}
	if !all[5].Watched[0].Changed || all[5].Watched[0].Value != "1" {
		t.Errorf("%+v", all[5].Watched)
	}
	if all[6].Error == "" || len(all[7].Answer) != 1 || !strings.Contains(all[7].Answer[0], "it ends with a bug") || all[9].Error == "" || all[9].Kept != len(steps) || all[10].At != len(steps) {
		t.Errorf("%+v\n%+v\n%+v\n%+v", all[6], all[7], all[9], all[10])
	}
}

// TestExploreOwn: variables on a thread's stack and thread-local ones are shown, of the thread
// that is named and where it stands. Those of a block hide the function's, and those of the
// function its callers'.
func TestExploreOwn(t *testing.T) {
	t.Parallel()
	for _, libc := range []string{"gcc", "musl-gcc"} {
		if _, err := exec.LookPath(libc); err != nil {
			t.Logf("no %s: left out", libc)
			continue
		}
		guest := compile.File(t, libc, "testdata/owned.c", "-O0")
		e := exploring(t, t.TempDir(), []string{"run 0", "watch T1:before", "1", "print T1:n", "1", "print T1:n", "print 1:work::p", "print T0:work::p", "print T1:mine", "print T0:mine", "print 0.1:both",
			"print mine", "print T1:shared", "print T9:n", "print T1:nothing", "1", "unwatch 1:before", "1", "print T1:mine"}, guest)
		if missing := has(e.stdout, "T1:before = 7", "T1:n = 40\n", "> print T1:n\nT1:n = 3\n", "> print 1:work::p\nT1:work::p = {left = 3, right = 7}\n", "error: there is no variable \"work::p\" where the thread stands",
			"T1:mine = 8\n", "T0:mine = 9\n", "T1:both = {left = 1, right = 3}\n", "(one of a thread's own is T1:mine)", "T1:shared = 47\n", "error: there is no global or static variable", "error: there is no variable \"nothing\" where the thread stands",
			"T1:before: there is no variable", "> unwatch 1:before\n> 1", "error: T1 work isn't there"); missing != "" {
			t.Errorf("%s: it doesn't say %q:\n%s%s", libc, missing, e.stdout, e.stderr)
		}
	}
}

// TestExploreScreen: in a terminal there is a screen, which keys change, and the terminal is
// left as it was.
func TestExploreScreen(t *testing.T) {
	t.Parallel()
	main, side := terminal(t)
	cmd := command(t, "explore", "--source", filepath.Join(top, "guests"), compile.Guest(t, "glibc-O1/lost_update"))
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=1", "LC_ALL=C.UTF-8")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = side, side, side
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	side.Close()
	said := make(chan []byte)
	go func() {
		defer close(said)
		for {
			b := make([]byte, 1<<14)
			n, err := main.Read(b)
			if n > 0 {
				said <- b[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	var all bytes.Buffer
	until := func(want string) {
		t.Helper()
		late := time.After(20 * time.Second)
		for from := all.Len(); !strings.Contains(all.String()[from:], want); {
			select {
			case b, ok := <-said:
				if all.Write(b); !ok && !strings.Contains(all.String()[from:], want) {
					t.Fatalf("it has ended, and didn't say %q:\n%q", want, all.String())
				}
			case <-late:
				t.Fatalf("it doesn't say %q:\n%q", want, all.String())
			}
		}
	}
	until("step 0 of 0")
	for _, c := range []struct{ keys, want string }{
		{"0", "step 1 of 1"}, {"1", "reads x: 0"}, {"2", "step 3 of 3"}, {"wx\r", "x = 0"}, {"f1", "it ends with a bug"}, {"t", "step 3 of"}, {"\x1b[F", "a bug"}, {"k", "step"}, {"resize", "landgo explore lost_update  s…"}, {"q", "\x1b[?1049l"},
	} {
		if c.keys == "resize" { // the terminal gets narrow and low
			if err := unix.IoctlSetWinsize(int(main.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 8, Col: 30}); err != nil {
				t.Fatal(err)
			}
			cmd.Process.Signal(unix.SIGWINCH)
			until(c.want)
			continue
		}
		if _, err := main.WriteString(c.keys); err != nil {
			t.Fatal(err)
		}
		until(c.want)
	}
	frames := strings.Split(all.String(), "\x1b[H")
	for _, frame := range frames {
		if strings.Contains(frame, "it ends with a bug") {
			asDocumented(t, frame)
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%q", err, all.String())
	}
}

// asDocumented compares a frame with that of the document.
func asDocumented(t *testing.T, frame string) {
	t.Helper()
	var b strings.Builder
	for _, line := range strings.Split(frame, "\n") {
		if line = strings.TrimRight(strings.ReplaceAll(line, "\x1b[K", ""), " \r"); line != "" {
			b.WriteString(line + "\n")
		}
	}
	path := filepath.Join(top, "docs/exploring.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "```screen\n")
	shown, behind, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("the document has no screen")
	}
	if shown == b.String() {
		return
	}
	if !*update {
		t.Errorf("the screen is:\n%s\nthe document's:\n%s", b.String(), shown)
		return
	}
	if err := os.WriteFile(path, []byte(before+"```screen\n"+b.String()+"```\n"+behind), 0o644); err != nil {
		t.Fatal(err)
	}
}

// terminal is a pseudo-terminal of 80 columns and 24 rows: the end of the user that sits
// there, and that of a program.
func terminal(t *testing.T) (main, side *os.File) {
	t.Helper()
	main, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: the screen isn't tested: %v", err)
	}
	t.Cleanup(func() { main.Close() })
	n, err := unix.IoctlGetInt(int(main.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(main.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		side, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(side.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err != nil {
		t.Skipf("no pseudo-terminal: the screen isn't tested: %v", err)
	}
	return main, side
}
