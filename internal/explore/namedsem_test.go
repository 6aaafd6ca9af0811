package explore

import (
	"context"
	"fmt"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

const namedSems = `
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
static void both(void *(*f)(void *), void *(*g)(void *)) {
	pthread_t a, b;
	pthread_create(&a, 0, f, (void *)0); pthread_create(&b, 0, g, (void *)1);
	pthread_join(a, 0); pthread_join(b, 0);
}
static int value(sem_t *s) { int v; sem_getvalue(s, &v); return v; }
`

// namedSemPrograms are programs with named semaphores, and the kind of their bug, if
// they have one.
var namedSemPrograms = []struct {
	name, program string
	bug           trace.BugKind
}{
	{"a lock", `
static sem_t *s; static int x;
static void *w(void *a) { sem_wait(s); x++; sem_post(s); return a; }
int main(void) { s = sem_open("/m", O_CREAT, 0600, 1); both(w, w); assert(x == 2); assert(!sem_close(s) && !sem_unlink("/m")); }`, ""},
	{"each thread opens the lock itself", `
static int x;
static void *w(void *a) { sem_t *s = sem_open("/m", O_CREAT, 0600, 1); sem_wait(s); x++; sem_post(s); sem_close(s); return a; }
int main(void) { both(w, w); assert(x == 2); }`, ""},
	{"a lock that lets two in", `
static sem_t *s; static volatile int x;
static void *w(void *a) { sem_wait(s); x++; sem_post(s); return a; }
int main(void) { s = sem_open("/m", O_CREAT, 0600, 2); both(w, w); assert(x == 2); }`, trace.Assertion},
	{"the first creator's value counts: 0 can be", `
static void *w(void *a) { sem_open("/m", O_CREAT, 0600, (int)(long)a); return a; }
int main(void) { both(w, w); assert(value(sem_open("/m", 0)) == 1); }`, trace.Assertion},
	{"the first creator's value counts: 1 can be", `
static void *w(void *a) { sem_open("/m", O_CREAT, 0600, (int)(long)a); return a; }
int main(void) { both(w, w); assert(value(sem_open("/m", 0)) == 0); }`, trace.Assertion},
	{"one of two creates", `
static _Atomic int won, lost;
static void *w(void *a) { if (sem_open("/m", O_CREAT | O_EXCL, 0600, 1)) won++; else { assert(errno == EEXIST); lost++; } return a; }
int main(void) { both(w, w); assert(won == 1 && lost == 1); }`, ""},
	{"the second can be the one that creates", `
static int by = -1;
static void *w(void *a) { if (sem_open("/m", O_CREAT | O_EXCL, 0600, 1)) by = (int)(long)a; return a; }
int main(void) { both(w, w); assert(by != 1); }`, trace.Assertion},
	{"opened before it is created", `
static void *c(void *a) { sem_open("/m", O_CREAT, 0600, 0); return a; }
static void *o(void *a) { assert(sem_open("/m", 0)); return a; }
int main(void) { both(c, o); }`, trace.Assertion},
	{"unlinked between", `
static void *u(void *a) { sem_unlink("/m"); return a; }
static void *o(void *a) { sem_t *s = sem_open("/m", O_CREAT, 0600, 7); assert(value(s) == 1); return a; }
int main(void) { sem_open("/m", O_CREAT, 0600, 1); both(u, o); }`, trace.Assertion},
	{"a thread that has it open keeps it", `
static sem_t *s;
static void *u(void *a) { sem_unlink("/m"); sem_post(s); return a; }
static void *o(void *a) { sem_wait(s); return a; }
int main(void) { s = sem_open("/m", O_CREAT, 0600, 0); both(u, o); assert(value(s) == 0 && !sem_open("/m", 0)); }`, ""},
	{"the value outlasts closing", `
static void *w(void *a) { sem_t *s = sem_open("/m", 0); sem_post(s); sem_close(s); return a; }
int main(void) { sem_close(sem_open("/m", O_CREAT, 0600, 0)); both(w, w); assert(value(sem_open("/m", 0)) == 2); }`, ""},
	{"used after it was closed", `
static sem_t *s;
static void *u(void *a) { sem_close(s); return a; }
static void *o(void *a) { sem_post(s); return a; }
int main(void) { s = sem_open("/m", O_CREAT, 0600, 1); both(u, o); }`, trace.UseAfterFree},
	{"closed once too often", `
static sem_t *s; static _Atomic int bad;
static void *w(void *a) { if (sem_close(s)) bad++; return a; }
int main(void) { s = sem_open("/m", O_CREAT, 0600, 1); sem_open("/m", 0); both(w, w); assert(!bad); }`, ""},
	{"two names don't meet", `
static void *w(void *a) { char n[3] = "/a"; n[1] += (long)a; sem_t *s = sem_open(n, O_CREAT, 0600, 1); assert(s && !sem_trywait(s) && sem_trywait(s)); return a; }
int main(void) { both(w, w); assert(sem_open("/a", 0) != sem_open("/b", 0)); }`, ""},
	{"ABBA", `
static sem_t *x, *y;
static void *v(void *a) { sem_wait(x); sem_wait(y); sem_post(y); sem_post(x); return a; }
static void *w(void *a) { sem_wait(y); sem_wait(x); sem_post(x); sem_post(y); return a; }
int main(void) { x = sem_open("x", O_CREAT, 0600, 1); y = sem_open("y", O_CREAT, 0600, 1); both(v, w); }`, trace.Deadlock},
	{"the name in a freed block", `
int main(void) { char *n = malloc(4); strcpy(n, "/m"); free(n); sem_open(n, O_CREAT, 0600, 1); }`, trace.UseAfterFree},
	{"a name that ends with its block", `
static void *w(void *a) { char *n = malloc(3); memcpy(n, "/m", 3); assert(sem_open(n, O_CREAT, 0600, 1)); free(n); return a; }
int main(void) { both(w, w); }`, ""},
	{"what is refused", `
int main(void) {
	assert(!sem_open("/none", 0) && errno == ENOENT);
	assert(sem_unlink("/none") && errno == ENOENT);
	assert(!sem_open("/a/b", O_CREAT, 0600, 1) && errno == EINVAL);
	assert(!sem_open("/", O_CREAT, 0600, 1) && errno == EINVAL);
	assert(!sem_open("/m", O_CREAT, 0600, 0x80000000u) && errno == EINVAL);
	char n[300]; memset(n, 'x', 299); n[299] = 0;
	assert(!sem_open(n, O_CREAT, 0600, 1) && (errno == EINVAL || errno == ENAMETOOLONG));
	sem_t *s = sem_open("/m", O_CREAT, 0600, 1);
	assert(s && s == sem_open("///m", O_CREAT, 0600, 5) && value(s) == 1);
	assert(!sem_open("m", O_CREAT | O_EXCL, 0600, 1) && errno == EEXIST);
	assert(!sem_unlink("/m") && sem_open("/m", O_CREAT, 0600, 3) != s);
}`, ""},
}

// TestNamedSemaphores: with both C libraries, by default, by exhaustive search, and
// with the library's own code for all other functions.
func TestNamedSemaphores(t *testing.T) {
	t.Parallel()
	for _, p := range namedSemPrograms {
		t.Run(p.name, func(t *testing.T) {
			for _, libc := range []string{"gcc", "musl-gcc"} {
				guest := compile.Text(t, libc, namedSems+p.program)
				for _, way := range []struct {
					name string
					set  func(*config.Config)
				}{
					{"default", func(*config.Config) {}},
					{"none", func(c *config.Config) { c.PP, c.Deepen, c.Search = trace.MemPoints, false, "none" }},
					{"stateful", func(c *config.Config) { c.PP, c.Deepen, c.Search = trace.MemPoints, false, "stateful" }},
					{"native", func(c *config.Config) { c.NativeSync, c.MaxExecutions = true, 300 }},
				} {
					if way.name == "native" && libc != "gcc" {
						continue // hundreds of thousands of executions
					}
					cfg := config.Default()
					cfg.Guest, cfg.Out = guest, config.NoFile
					way.set(&cfg)
					r, err := Run(context.Background(), cfg, nil)
					if err != nil {
						t.Fatal(err)
					}
					got := fmt.Sprintf("%s %s", r.Verdict, r.Reason)
					kind := trace.BugKind("")
					if r.Finish(); r.Bug != nil {
						kind = r.Bug.Kind
						got += fmt.Sprintf("%s: %s", kind, r.Bug.Message)
					}
					if r.Problem == result.OutOfExecutions {
						continue
					}
					if kind != p.bug || kind == "" && r.Verdict != result.Verified {
						t.Errorf("%s, %s: %s, want %q", libc, way.name, got, p.bug)
					}
				}
			}
		})
	}
}
