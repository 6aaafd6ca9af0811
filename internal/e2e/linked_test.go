package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/result"
)

// TestLinked: a program as gcc makes it, with a library of its own beside it, another that
// its threads load, and one taken away.
func TestLinked(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"counter.c": "static int n; __thread int mine = 3; int next(void) { mine++; int v = n; return n = v + 1; }\n",
		"plugin.c":  "__thread int t = 5; int plug(int x) { return x + ++t; }\n",
		"main.c": `#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
int next(void);
static void *f(void *p)
{
	void *h = dlopen("./plugin.so", RTLD_NOW);
	if (!h)
		return p;
	int (*plug)(int) = (int (*)(int))dlsym(h, "plug");
	assert(plug && plug(1) == 7);
	next();
	return p;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, f, 0);
	pthread_create(&u, 0, f, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	int n = next();
	printf("%d\n", n);
#ifdef STRICT
	assert(n == 3);
#endif
}
`,
	})
	build := builder(t, dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Mkdir(at("lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	build("-shared", "-fPIC", "-o", "lib/libcounter.so", "counter.c")
	build("-shared", "-fPIC", "-o", "plugin.so", "plugin.c")
	build("-o", "main", "main.c", "-Llib", "-lcounter", "-Wl,-rpath,$ORIGIN/lib")
	build("-DSTRICT", "-o", "strict", "main.c", "-Llib", "-lcounter", "-Wl,-rpath,$ORIGIN/lib")

	r := run(t, "run", "--json", "--pp", "sync", at("main")).decode(t)
	if r.Verdict != result.Verified {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	var names []string
	for _, l := range r.Guest.Libraries {
		names = append(names, filepath.Base(l.Path))
		if len(l.SHA256) != 64 {
			t.Errorf("%+v", l)
		}
	}
	for _, want := range []string{"libcounter.so", "libc.so.6", "plugin.so"} {
		if !strings.Contains(strings.Join(names, " "), want) {
			t.Errorf("run with %v, without %s", names, want)
		}
	}

	bug := at("bug.landgo")
	r = run(t, "run", "--json", "--out", bug, at("strict")).decode(t)
	if r.Bug == nil || !strings.Contains(r.Bug.Message, "n == 3") {
		t.Fatalf("%s: %s, %+v", r.Verdict, r.Reason, r.Bug)
	}
	if again := run(t, "replay", "--json", bug).decode(t); again.Replay == nil || !again.Replay.Same {
		t.Errorf("the replay: %s, %s", again.Verdict, again.Reason)
	}
	build("-shared", "-fPIC", "-DCHANGED", "-O2", "-o", "plugin.so", "plugin.c")
	run(t, "replay", bug).complains(t, result.OtherImage, "plugin.so")
	if err := os.Remove(at("lib/libcounter.so")); err != nil {
		t.Fatal(err)
	}
	run(t, "run", at("main")).complains(t, result.Dynamic, "libcounter.so", "--library-path")
	build("-shared", "-fPIC", "-o", "libcounter.so", "counter.c")
	if err := os.Mkdir(at("elsewhere"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(at("libcounter.so"), at("elsewhere/libcounter.so")); err != nil {
		t.Fatal(err)
	}
	r = run(t, "run", "--json", "--pp", "yield", "--library-path", at("elsewhere"), at("main")).decode(t)
	if r.Verdict != result.Verified {
		t.Errorf("with --library-path: %s: %s", r.Verdict, r.Reason)
	}
}

// TestCantBeLoaded: a program whose library is older than it, or lacks a function, doesn't
// begin. A constructor that ends the process is the program's own.
func TestCantBeLoaded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"main.c":    "int needed(void); int main(void) { return needed() - 1; }\n",
		"other.c":   "int other(void) { return 1; }\n",
		"needed.c":  "int needed(void) { return 1; }\n",
		"leaves.c":  "#include <stdlib.h>\nint needed(void) { return 1; }\n__attribute__((constructor)) void begin(void) { exit(3); }\n",
		"new.map":   "NEW { global: needed; };\n",
		"first.map": "FIRST { global: needed; };\n",
	})
	build := builder(t, dir)
	library := func(args ...string) {
		t.Helper()
		build(append([]string{"-shared", "-fPIC", "-o", "libneeded.so"}, args...)...)
	}
	runs := func() *result.Result {
		t.Helper()
		return run(t, "run", "--json", filepath.Join(dir, "main")).decode(t)
	}
	library("needed.c", "-Wl,--version-script=new.map")
	build("-o", "main", "main.c", "-L.", "-lneeded", "-Wl,-rpath,$ORIGIN")
	for lib, says := range map[string]string{"needed.c -Wl,--version-script=first.map": "version `NEW' not found", "other.c": "needed"} {
		library(strings.Fields(lib)...)
		if r := runs(); r.Verdict != result.Invalid || r.Problem != result.NotLoaded || !strings.Contains(r.Reason, says) {
			t.Errorf("%s: %s (%s): %s", lib, r.Verdict, r.Problem, r.Reason)
		}
	}
	library("leaves.c", "-Wl,--version-script=new.map")
	if r := runs(); r.Bug == nil || !strings.Contains(r.Bug.Message, "status 3") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// builder runs gcc in a folder.
func builder(t *testing.T, dir string) func(args ...string) {
	return func(args ...string) {
		t.Helper()
		cmd := exec.Command("gcc", append([]string{"-g", "-pthread"}, args...)...)
		cmd.Dir = dir
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("gcc %s: %v\n%s", strings.Join(args, " "), err, said)
		}
	}
}

// TestLinkedDebugFile: a stripped program has the names and lines of the file that its link names. Where
// it isn't there, a note says so.
func TestLinkedDebugFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"lost.c": `#include <assert.h>
#include <pthread.h>
static int x;
static void *f(void *a) { x++; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); assert(x == 2); return 0; }
`})
	build := builder(t, dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, how := range []string{"-pie", "-static"} {
		build("-g", how, "-o", "lost", "lost.c")
		for _, args := range [][]string{{"objcopy", "--only-keep-debug", at("lost"), at("lost.debug")}, {"strip", at("lost")}, {"objcopy", "--add-gnu-debuglink=" + at("lost.debug"), at("lost")}} {
			if said, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, said)
			}
		}
		e := run(t, "run", "--out", "none", at("lost"))
		if !strings.Contains(e.stdout, "lost.c:4") || !strings.Contains(e.stdout, "x == 2") {
			t.Errorf("%s: no lines:\n%s%s", how, e.stdout, e.stderr)
		}
		if err := os.Remove(at("lost.debug")); err != nil {
			t.Fatal(err)
		}
		r := run(t, "run", "--json", "--out", "none", at("lost")).decode(t)
		if r.Bug == nil || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "lost.debug, which has") {
			t.Errorf("%s, without the file: %s, notes %q", how, r.Verdict, r.Notes)
		}
	}
}
