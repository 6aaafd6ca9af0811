package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"landgo/internal/compile"
	"landgo/internal/grade"
	"landgo/internal/part"
)

// write writes files beneath a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const classCourse = `
course: Threads, lab 2
tests:
  - {name: counter, guest: counter, points: 2}
  - {name: locks, guest: locks, points: 3}
  - {name: memory, guest: memory, points: 5, hidden: true}
worth:
  bug: {deadlock: 25%, other: 0}
`

// class makes twelve students: each has three programs, of the guests and their twins, in
// builds of their own. Some hand in what is no program.
func class(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, map[string]string{"course.yaml": classCourse})
	names := [][]string{{"lost_update", "increment", "race_field"}, {"deadlock_two", "deadlock_three", "lock_twice"}, {"use_after_free", "double_free", "heap_overflow"}}
	builds := []string{"glibc-O1", "musl-O2", "musl-O1", "glibc-O2"}
	for i := range 12 {
		for j, test := range []string{"counter", "locks", "memory"} {
			name := names[j][i/4]
			if (i+j)%3 == 0 {
				name += "-fixed"
			}
			to := filepath.Join(dir, "submissions", fmt.Sprintf("student%02d", i), test)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			from := compile.Guest(t, builds[i%4], name)
			if err := os.Link(from, to); err != nil {
				copyFile(t, from, to)
			}
		}
	}
	return dir
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// needsLandlock skips a test of grading, which doesn't run submissions without it.
func needsLandlock(t *testing.T) {
	t.Helper()
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); errno != 0 {
		t.Skipf("this kernel has no landlock: %v", errno)
	}
}

func gradeIn(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(landgo, append([]string{"grade"}, args...)...)
	cmd.Dir = dir
	return cmd
}

// pagesOf are the files of the tables.
func pagesOf(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s\n%s\n", strings.TrimPrefix(path, dir), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestGradeClass: a class has the tables that it should have, and a second run costs
// next to nothing. If the front, engines and all are killed at any moment, a run comes
// to the same tables, byte for byte.
func TestGradeClass(t *testing.T) {
	needsLandlock(t)
	dir := class(t)
	args := []string{"--json", "--quiet", "--csv", "points.csv", "--html", "report", "course.yaml", "submissions"}
	quiet := finish(t, gradeIn(dir, args...))
	if quiet.status != 0 {
		t.Fatalf("status %d: %s", quiet.status, quiet.stderr)
	}
	var table grade.Table
	if err := json.Unmarshal([]byte(quiet.stdout), &table); err != nil {
		t.Fatal(err)
	}
	good, bad := 0, 0
	for _, s := range table.Students {
		for _, c := range s.Cells {
			if c.Verdict == "verified" {
				good++
			} else if c.Verdict == "bug" {
				bad++
			}
		}
	}
	// A third are fixed; race_field isn't a bug by itself.
	if len(table.Students) != 12 || good+bad != 36 || good < 12 || good > 16 || table.Undecided != 0 {
		t.Errorf("%d verified, %d bugs, %d undecided: %.3000s", good, bad, table.Undecided, quiet.stdout)
	}
	// Students with the same mistake in other builds are one mistake.
	for _, m := range table.Mistakes {
		t.Logf("%s %v: %d", m.Fingerprint, m.What, len(m.Students))
		if len(m.Students) < 2 {
			t.Errorf("%s %v is %d student's", m.Fingerprint, m.What, len(m.Students))
		}
	}
	pages := pagesOf(t, filepath.Join(dir, "report"))
	begin := time.Now()
	again := finish(t, gradeIn(dir, args...))
	t.Logf("the first run took %v, the second %v", quiet.elapsed.Round(time.Millisecond), time.Since(begin).Round(time.Millisecond))
	if again.stdout != quiet.stdout || pagesOf(t, filepath.Join(dir, "report")) != pages {
		t.Error("the second run has other tables")
	}

	kills := 0
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	for {
		cmd := gradeIn(dir, append([]string{"--run", "killed", "--jobs", "3"}, args...)...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < 12 {
			time.Sleep(time.Duration(20+random.Intn(250)) * time.Millisecond)
			victim := cmd.Process.Pid
			if own := children(victim); kills%3 == 2 && len(own) > 0 {
				victim = own[random.Intn(len(own))] // an engine: its job is tried again
			}
			syscall.Kill(victim, syscall.SIGKILL)
			kills++
		}
		cmd.Wait()
		if cmd.ProcessState.ExitCode() == 0 {
			if out.String() != quiet.stdout || pagesOf(t, filepath.Join(dir, "report")) != pages {
				t.Errorf("after %d kills the tables differ", kills)
			}
			if kills >= 12 || !cmd.ProcessState.Success() {
				break
			}
			os.RemoveAll(filepath.Join(dir, "killed"))
			continue
		}
		if cmd.ProcessState.ExitCode() > 0 {
			t.Fatalf("status %d: %s", cmd.ProcessState.ExitCode(), errs.String())
		}
	}
}

// children are a process's.
func children(pid int) (all []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range tasks {
		text, _ := os.ReadFile(f)
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

const hostileCourse = `
build:
  command: sh ./build.sh
  time: 5s
  disk: 32M
  processes: 30
  max-files: 300
  output: 100K
tests:
  - {name: test, guest: test, points: 10, time: 3s}
students: {visible: report}
`

// TestGradeHostile: each hostile submission ends as a line for the teacher. None has an
// effect on the others, and no report has anything of the host.
func TestGradeHostile(t *testing.T) {
	part.Row(t)
	needsLandlock(t)
	dir := t.TempDir()
	secret := "canary-of-the-host-7c1f"
	good, err := os.ReadFile(filepath.Join(top, "guests/linux/lost_update.c"))
	if err != nil {
		t.Fatal(err)
	}
	const gcc = "gcc -g -O1 -static -pthread -o test test.c\n"
	write(t, dir, map[string]string{
		"course.yaml": hostileCourse, "secret.txt": secret + "\n",
		"s/good/build.sh": gcc, "s/good/test.c": "#define FIXED\n" + string(good),
		"s/bug/build.sh": gcc, "s/bug/test.c": string(good),
		"s/line/build.sh": gcc, "s/line/test.c": strings.ReplaceAll(string(good), "\tint v = x;", "#line 1 \""+filepath.Join(dir, "secret.txt")+"\"\n\tint v = x;"),
		"s/dots/build.sh": gcc, "s/dots/test.c": strings.ReplaceAll(string(good), "\tint v = x;", "#line 1 \"../../secret.txt\"\n\tint v = x;"),
		"s/forks/build.sh":   "f() { f | f & }; f; sleep 1000\n",
		"s/endless/build.sh": "while :; do :; done\n",
		"s/output/build.sh":  "yes\n",
		"s/disk/build.sh":    "while :; do head -c 8M /dev/zero >$((i=i+1)); done\n",
		"s/daemon/build.sh":  "(setsid sh -c 'sleep 60; echo x >/tmp/landgo-daemon' &)\n" + gcc,
		"s/daemon/test.c":    "int main(void) { return 0; }\n",
		"s/reads/build.sh":   "cat " + filepath.Join(dir, "secret.txt") + " ../../*/secret.txt ../../../s/bug/test.c /etc/passwd; ls /tmp /root " + dir + "\n",
		"s/others/build.sh":  "find / -name secret.txt 2>/dev/null -exec cat {} +; cp " + filepath.Join(dir, "s/good/test.c") + " . && " + gcc,
		"s/writes/build.sh":  "echo x >" + filepath.Join(dir, "s/good/test.c") + "; echo x >" + filepath.Join(dir, "landgo-grade/x") + "\n",
		"s/link/build.sh":    "ln -s " + filepath.Join(dir, "secret.txt") + " test\n",
		"s/script/build.sh":  "echo '#!/bin/sh' >test\n",
		"s/broken/test.c":    string(good), "s/broken/build.sh": "gcc -g -O1 -static -pthread -o test test.c\nhead -c 3000 test >x; mv x test\n",
		"s/huge/build.sh":  "truncate -s 30G test\n",
		"s/guest/build.sh": gcc, "s/guest/test.c": "int main(void) { volatile int x = 0; for (;;) x++; }\n",
		"s/eats/build.sh": gcc, "s/eats/test.c": "#include <stdlib.h>\n#include <string.h>\nint main(void) { for (;;) { char *p = malloc(1 << 20); if (p) memset(p, 1, 1 << 20); } }\n",
		"s/speaks/build.sh": gcc, "s/speaks/test.c": "#include <stdio.h>\nint main(void) { for (;;) puts(\"a line of output\"); }\n",
		"s/handed in/build.sh": "true\n",
		"s/ünï\n<b>'/build.sh": "exit 3\n",
		"s/no build/readme":    "",
	})
	copyFile(t, compile.Guest(t, "glibc-O1/increment-fixed"), filepath.Join(dir, "s/handed in/test"))
	os.Symlink("/etc", filepath.Join(dir, "s/zlink"))
	before := pagesOf(t, filepath.Join(dir, "s/good"))
	e := finish(t, gradeIn(dir, "--json", "--html", "report", "course.yaml", "s"))
	if e.status != 4 && e.status != 0 {
		t.Fatalf("status %d: %s", e.status, e.stderr)
	}
	var table grade.Table
	if err := json.Unmarshal([]byte(e.stdout), &table); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"good": "verified", "bug": "assertion", "line": "assertion", "dots": "assertion", "forks": "no build", "endless": "no build", "output": "no build",
		"disk": "no build", "daemon": "invalid", "reads": "no build", "others": "no build", "writes": "no build", "link": "no program", "script": "invalid", "broken": "invalid",
		"huge": "invalid", "guest": "", "eats": "", "speaks": "", "handed in": "no program", "ünï\n<b>'": "no build", "no build": "no build", "zlink": "no build",
	}
	for _, s := range table.Students {
		w, ok := want[s.Name]
		if short := s.Cells[0].Short; !ok || w != "" && short != w || short == "verified" && s.Name != "good" {
			t.Errorf("%q: %s, want %s: %.300s; %.300s; %.300s", s.Name, short, w, s.Cells[0].Reason, s.Problem, s.Said)
		}
		t.Logf("%q: %s: %.120s", s.Name, s.Cells[0].Short, s.Cells[0].Reason)
		delete(want, s.Name)
	}
	if len(want) > 0 {
		t.Errorf("not in the table: %q", want)
	}
	if pagesOf(t, filepath.Join(dir, "s/good")) != before {
		t.Error("another's submission has changed")
	}
	pages := pagesOf(t, filepath.Join(dir, "report"))
	for _, bad := range []string{secret, "root:x:", "<b>"} {
		if strings.Contains(pages, bad) || bad != "<b>" && strings.Contains(e.stdout+e.stderr, bad) {
			t.Errorf("a report has %q", bad)
		}
	}
	if left, _ := filepath.Glob(fmt.Sprintf("/tmp/landgo-grade-%d/*/work", os.Geteuid())); len(left) > 0 {
		for _, dir := range left {
			if info, err := os.Stat(filepath.Join(dir, "build.sh")); err == nil && time.Since(info.ModTime()) < time.Minute {
				t.Errorf("%s is left", dir)
			}
		}
	}
}

// TestGradeBuildKilled: a build that is killed is done again, with the same result.
func TestGradeBuildKilled(t *testing.T) {
	needsLandlock(t)
	dir := t.TempDir()
	source, err := os.ReadFile(filepath.Join(top, "guests/linux/deadlock_two.c"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{
		"course.yaml":   "build: {command: \"sleep 0.3; gcc -g -static -pthread -o test test.c\"}\ntests: [{name: a, guest: test}]\n",
		"s/anna/test.c": string(source), "s/ben/test.c": "#define FIXED\n" + string(source),
	})
	quiet := finish(t, gradeIn(dir, "--json", "course.yaml", "s"))
	if quiet.status != 0 || !strings.Contains(quiet.stdout, "deadlock") {
		t.Fatalf("status %d: %s", quiet.status, quiet.stderr)
	}
	cmd := gradeIn(dir, "--json", "--run", "killed", "course.yaml", "s")
	var once sync.Once
	e := finish(t, cmd, func(p *os.Process) {
		time.Sleep(150 * time.Millisecond)
		once.Do(func() {
			for _, warden := range children(p.Pid) {
				syscall.Kill(warden, syscall.SIGKILL)
			}
		})
	})
	if e.stdout != quiet.stdout {
		t.Errorf("with a warden killed: status %d: %s\n%s", e.status, e.stdout, e.stderr)
	}
}

// TestFingerprints: the same mistake has the same name in each build of a guest, and
// different guests have different ones.
func TestFingerprints(t *testing.T) {
	part.Row(t)
	seen := map[string]string{}
	for _, name := range []string{"lost_update", "deadlock_two", "livelock", "use_after_free", "lost_wakeup", "lock_twice", "double_free", "null_pointer"} {
		own := ""
		for _, build := range []string{"glibc-O1", "glibc-O2", "musl-O1", "musl-O2"} {
			r := run(t, "run", "--json", "--quiet", "--out", "none", compile.Guest(t, build, name)).decode(t)
			if r.Bug == nil {
				t.Fatalf("%s of %s has no bug", name, build)
			}
			f := r.Bug.Fingerprint
			if own != "" && f != own {
				t.Errorf("%s: %s in %s, else %s", name, f, build, own)
			}
			own = f
		}
		if other, ok := seen[own]; ok {
			t.Errorf("%s and %s are both %s", name, other, own)
		}
		seen[own] = name
	}
}
