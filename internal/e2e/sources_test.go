package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/result"
)

// TestSources: a guest that is given as a source, or as a target of make, and what is
// said where there is no program in it.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	const lost = `#include <assert.h>
#include <pthread.h>
int x;
void *f(void *p) { int y = x; x = y + 1; return p; }
int main(int argc, char **argv) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); assert(x == 2 || argc > 1); }
`
	write(t, dir, map[string]string{
		"lost.c": lost, "lost.cc": strings.ReplaceAll(lost, "int x;", "int x; template <class T> T same(T v) { return v; }"), "lost.c++": lost, "wrong.c": "int main(void) { return nowhere; }\n",
		"Makefile": "lost: lost.c\n\tgcc -g -pthread -o $@ $<\nbroken:\n\texit 3\nother: lost\n\t@:\n", "lost.rs": "fn main() {}\n",
		"buffers.cc": `#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x, y;
int main() {
	int a, b;
	std::thread t([&] { x.store(1, std::memory_order_relaxed); a = y.load(std::memory_order_relaxed); });
	y.store(1, std::memory_order_relaxed);
	b = x.load(std::memory_order_relaxed);
	t.join();
	assert(a || b);
}
`,
		"root.c": "#include <math.h>\nint main(int c, char **v) { return sqrt(c + 3) != 2; }\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	try := func(env string, args ...string) ending {
		t.Helper()
		cmd := command(t, args...)
		cmd.Env = append(cmd.Environ(), "XDG_CACHE_HOME="+at("cache"), env)
		return finish(t, cmd)
	}
	for _, args := range [][]string{{at("lost.c")}, {at("lost.cc")}, {at("lost.c++")}, {"--make", dir, "lost"}} {
		bug := at("bug.landgo")
		e := try("CFLAGS=-O1", append([]string{"run", "--json", "--quiet", "--out", bug}, args...)...)
		if r := e.decode(t); r.Bug == nil || !strings.Contains(r.Bug.Message, "x == 2") {
			t.Errorf("%v: %s: %s", args, r.Verdict, r.Reason)
			continue
		}
		if r := run(t, "replay", "--json", bug).decode(t); r.Replay == nil || !r.Replay.Same {
			t.Errorf("%v: the replay: %s", args, r.Reason)
		}
	}
	if r := try("CC=gcc", "run", "--json", "--pp", "sync", at("lost.c"), "--", "more").decode(t); r.Verdict != result.Verified {
		t.Errorf("with an argument: %s: %s", r.Verdict, r.Reason)
	}
	// The messages of the compiler and of make stand above landgo's own line.
	after := func(e ending, said string) ending {
		t.Helper()
		lines := strings.SplitAfter(e.stderr, "\n")
		if above := strings.Join(lines[:max(len(lines)-2, 0)], ""); !strings.Contains(above, said) {
			t.Errorf("above landgo's line stands %q, want %q", above, said)
		}
		e.stderr = lines[max(len(lines)-2, 0)]
		return e
	}
	after(try("CC=gcc", "run", at("wrong.c")), "nowhere").complains(t, result.NotBuilt, "gcc -g -pthread -o")
	try("CC=no-such-compiler", "run", at("lost.c")).complains(t, result.NotBuilt, "no-such-compiler")
	after(try("CC=gcc", "run", "--make", dir, "broken"), "Error 3").complains(t, result.NotBuilt, "make -C "+dir+" broken")
	after(try("CC=gcc", "run", "--make", dir, "other"), "").complains(t, result.NotBuilt, "make -C "+dir+" other made no such file")
	after(try("CC=gcc", "run", at("root.c")), "undefined reference").complains(t, result.NotBuilt, "LDLIBS=-lm")
	if r := try("LDLIBS=-lm", "run", "--json", at("root.c")).decode(t); r.Verdict != result.Verified {
		t.Errorf("with a library: %s: %s", r.Verdict, r.Reason)
	}
	// Relaxed stores are exchanges without optimisation: nothing is wrong then, and landgo says why.
	for flags, verdict := range map[string]result.Verdict{"CXXFLAGS=": result.Verified, "CXXFLAGS=-O1": result.Buggy} {
		e := try(flags, "run", "--json", "--out", at("buffers.landgo"), at("buffers.cc"))
		if r, said := e.decode(t), strings.Contains(e.stderr, "without optimisation"); r.Verdict != verdict || said != (verdict == result.Verified) {
			t.Errorf("store buffers, %s: %s: %s\n%s", flags, r.Verdict, r.Reason, e.stderr)
		}
	}
	try("CC=gcc", "run", dir).complains(t, result.NotProgram, "--make "+dir+" TARGET")
	try("CC=gcc", "run", at("none.c")).complains(t, result.NoFile, "none.c")
	try("CFLAGS=-fsanitize=address", "run", at("lost.c")).complains(t, result.Sanitized, at("lost.c")+": CFLAGS or CC has -fsanitize=address")
	run(t, "run", at("lost.rs")).complains(t, result.NotELF, "rustc -g -o "+at("lost"))
	if said, err := exec.Command("gcc", "-c", "-o", at("lost.o"), at("lost.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	run(t, "run", at("lost.o")).complains(t, result.NotProgram, "gcc -g -pthread -o "+at("lost")+" "+at("lost.o"))
	if said, err := exec.Command("gcc", "-fsanitize=thread", "-pthread", "-o", at("tsan"), at("lost.c")).CombinedOutput(); err != nil {
		t.Skipf("gcc -fsanitize=thread: %s", said)
	}
	run(t, "run", at("tsan")).complains(t, result.Sanitized, "-fsanitize=thread")
}
