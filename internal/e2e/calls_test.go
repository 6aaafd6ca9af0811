package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/result"
)

// TestCalls: what a user is told of programs whose threads talk through the kernel, of files
// that are written, and of what landgo doesn't run.
func TestCalls(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, dir, map[string]string{
		"forgot.c": `#include <pthread.h>
#include <unistd.h>
int p[2];
void *reader(void *a) { char c; while (read(p[0], &c, 1) > 0) ; return a; }
int main(void) {
	pipe(p);
	pthread_t t; pthread_create(&t, 0, reader, 0);
	write(p[1], "hello", 5);
	pthread_join(t, 0);
}
`,
		"broken.c": `#include <pthread.h>
#include <unistd.h>
int p[2];
void *reader(void *a) { close(p[0]); return a; }
int main(void) {
	pipe(p);
	pthread_t t; pthread_create(&t, 0, reader, 0);
	write(p[1], "hello", 5);
	pthread_join(t, 0);
}
`,
		"log.c": `#include <assert.h>
#include <pthread.h>
#include <stdio.h>
void *w(void *a) { FILE *f = fopen("/tmp/log", "a"); assert(f); fputs(a, f); fclose(f); return 0; }
int main(void) {
	pthread_t t; pthread_create(&t, 0, w, "a"); w("b"); pthread_join(t, 0);
	FILE *f = fopen("/tmp/log", "r"); assert(f); assert(fgetc(f) == 'a');
}
`,
		"fork.c": `#include <unistd.h>
int main(void) { return fork() < 0; }
`,
		"vector.c": `#include <immintrin.h>
static float a[8];
__attribute__((noinline, target("avx"))) static void twice(float *p) { __m256 v = _mm256_loadu_ps(p); _mm256_storeu_ps(p, _mm256_add_ps(v, v)); }
int main(int n, char **v) { twice(a); return 0; }
`,
		"fine.c": `#include <pthread.h>
static void *f(void *a) { return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); }
`,
		"hi.go": "package main\n\nfunc main() { println(1) }\n",
	})
	try := func(args ...string) ending {
		t.Helper()
		cmd := command(t, args...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "XDG_CACHE_HOME="+at("cache"))
		return finish(t, cmd)
	}
	says := func(e ending, want ...string) {
		t.Helper()
		text := strings.Join(strings.Fields(e.stdout), " ")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("doesn't say %q:\n%s", w, e.stdout)
			}
		}
	}
	says(try("run", "forgot.c"), "deadlock", "waits for data from the pipe made at forgot.c:6 (its read end is descriptor 3, its write end is descriptor 4)")
	says(try("run", "broken.c"), "killed by signal 13: SIGPIPE, for no read end is open of the pipe made at broken.c:6")
	says(try("run", "log.c"), "for writing is not modelled", "cure: add --file rw")
	bug := at("log.landgo")
	says(try("run", "--file", "rw", "--out", bug, "log.c"), "assertion failed: fgetc(f) == 'a'")
	if r := try("replay", "--json", bug).decode(t); r.Replay == nil || !r.Replay.Same {
		t.Errorf("the replay: %s", r.Reason)
	}
	if _, err := os.Stat("/tmp/log"); err == nil {
		t.Error("the guest wrote outside")
	}
	says(try("run", "fork.c"), "make the process a thread")
	says(try("run", "vector.c"), "VEX", "by twice vector.c:3", "-march=x86-64", "-mno-avx")
	says(try("run", "fine.c"), "no interleaving of fine.c has a bug")
	cmd := exec.Command("go", "build", "-o", at("hi"), at("hi.go"))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("go build: %s", said)
	}
	try("run", at("hi")).complains(t, result.OtherRuntime, "(go test -race looks for their races); use the language's own tools")
}
