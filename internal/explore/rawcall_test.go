package explore

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"landgo/internal/explore/config"
)

// TestRawCalls lists all outcomes of programs with system calls for which the C library has no
// function, by two searches and on the machine that the test runs on.
func TestRawCalls(t *testing.T) {
	const head = `#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_uint w; static pthread_t t;
static long fx(int op) { return syscall(SYS_futex, &w, op, 0, 0, 0, 0); }
static int lock(void) { unsigned e = 0; return !atomic_compare_exchange_strong(&w, &e, syscall(SYS_gettid)) && fx(FUTEX_LOCK_PI); }
static int unlock(void) { unsigned e = syscall(SYS_gettid); return !atomic_compare_exchange_strong(&w, &e, 0) && !fx(FUTEX_UNLOCK_PI); }
#define GO pthread_create(&t, 0, a, 0)
#define JOIN pthread_join(t, 0)
#define SAY(...) printf(__VA_ARGS__), fflush(stdout)
`
	for i, c := range []struct{ name, source, want string }{
		// The thread itself writes its number, when it begins, and the kernel clears it at its end.
		{"a number for the child", `static atomic_int tid; static char stack[65536] __attribute__((aligned(64)));
static int f(void *p) { return syscall(SYS_exit, 0); }
int main(void) { tid = -1;
	int r = clone(f, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID, 0, 0, 0, &tid);
	int c = tid; SAY("%s", c == -1 ? "old" : c == r ? "number" : c == 0 ? "cleared" : "other"); _exit(0); }`, "cleared|number|old"},
		// A waiter marks the word, so the owner's exchange fails.
		{"a mark for the owner", `static int n; static void *a(void *p) { lock(); n += unlock(); return p; }
int main(void) { GO; lock(); int k = unlock(); JOIN; SAY("%d %d", k, n); }`, "0 0|1 1"},
		// The futex goes from the owner to the waiter: no thread finds it free in between.
		{"no way between", `static void *a(void *p) { lock(); return p; }
int main(void) { lock(); GO; while (!(w & FUTEX_WAITERS)) ; unlock(); long r = fx(FUTEX_TRYLOCK_PI); SAY("%ld %d", r, errno == ESRCH); _exit(0); }`, "-1 0|-1 1"},
		{"an owner that ends", `static void *a(void *p) { lock(); return p; }
int main(void) { GO; while (!w) ; long r = fx(FUTEX_LOCK_PI); SAY("%ld %d %d", r, r && errno == ESRCH, !!(w & FUTEX_OWNER_DIED)); _exit(0); }`, "-1 1 0|0 0 1"},
		// The waiter gets the futex at the owner's end all the same.
		{"an owner that clears the word", `static void *a(void *p) { w = syscall(SYS_gettid); while (!(w & FUTEX_WAITERS)) ; w = 0; return p; }
int main(void) { GO; while (!w) ; long r = fx(FUTEX_LOCK_PI); SAY("%ld %d", r, w == (FUTEX_WAITERS | FUTEX_OWNER_DIED | syscall(SYS_gettid))); JOIN; _exit(0); }`, "0 1"},
	} {
		onLibraries(t, i, c.name, head+c.source, func(t *testing.T, guest string, cfg config.Config) {
			l := list(cfg, "optimal", 30000, 0)
			if got := strings.Join(slices.Sorted(maps.Keys(l.outcomes)), "|"); got != c.want || !l.complete {
				t.Errorf("optimal lists %q, want %q: %v", got, c.want, l)
			}
			if all := list(cfg, "none", 1000, 0); len(all.beyond(l)) > 0 {
				t.Errorf("none lists %v", all)
			}
			for range 10 {
				out, err := exec.Command(guest).Output()
				if got := strings.TrimSpace(string(out)); err != nil || l.outcomes[got] == 0 {
					t.Errorf("the machine has %q %v", got, err)
				}
			}
		})
	}
}
