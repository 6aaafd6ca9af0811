package explore

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestCodeOnTheStack: to have a stack that may be executed changes nothing. To execute
// what is there isn't modelled, where the machine that the test runs on would do it; and
// is a bug where it wouldn't (musl's stacks of threads).
func TestCodeOnTheStack(t *testing.T) {
	t.Parallel()
	const head = `
#include <assert.h>
#include <pthread.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int call(int (*f)(int), int v) { return f(v); }
`
	for _, p := range []struct{ name, source, glibc, musl string }{
		{"no code there", `static void *f(void *a) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0), f(0), pthread_join(t, 0); assert(n == 2); }`, "verified", "verified"},
		{"a function within main", `int main(int c, char **v) { int less(int z) { return z - c; } int (*volatile g)(int) = less; assert(call(g, 9) == 8); }`,
			"code made at run time", "code made at run time"},
		{"a function within a thread's", `static void *f(void *a) { int k = *(int *)a; int more(int x) { return x + k; } int (*volatile g)(int) = more; assert(call(g, 3) == k + 3); return a; }
int main(void) { pthread_t t; int five = 5; pthread_create(&t, 0, f, &five), pthread_join(t, 0); }`, "code made at run time", "segfault"},
	} {
		for _, cc := range []string{"gcc", "musl-gcc"} {
			t.Run(p.name+" "+cc, func(t *testing.T) {
				bin, want := compile.Text(t, cc, head+p.source, "-O1", "-z", "execstack"), p.glibc
				if cc == "musl-gcc" {
					want = p.musl
				}
				if err := exec.Command(bin).Run(); (err != nil) != (want == "segfault") {
					t.Fatalf("on the machine: %v", err)
				}
				cfg := config.Default()
				cfg.Guest, cfg.Out = bin, config.NoFile
				r, err := Run(context.Background(), cfg, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := string(r.Verdict)
				switch {
				case r.Verdict == result.Buggy:
					got = string(r.Bug.Kind)
				case r.Verdict == result.Invalid && strings.Contains(r.Reason, want):
					got = want
				}
				if got != want {
					t.Errorf("%s (%s): %+v, want %s", got, r.Reason, r.Bug, want)
				}
			})
		}
	}
}
