package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestJoinable: no thread joins one that was detached, whichever came first;
// a thread that joins the first one, or itself, waits for that.
func TestJoinable(t *testing.T) {
	t.Parallel()
	const program = `#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_t t, first;
static int x;
static void *nothing(void *a) { return a; }
static void *detach(void *a) { pthread_detach(t); return a; }
static void *join(void *a) { if (pthread_join(first, 0) || x != 1) abort(); exit(0); }
static void *joins(void *a) { pthread_join(t, 0); return a; }
static pthread_attr_t *detached(void) {
	static pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	return &a;
}
int main(void) {
	pthread_t u;
	(void)u, (void)nothing, (void)detach, (void)join, (void)joins, (void)detached, first = pthread_self();
	MAIN;
	return 0;
}
`
	const begin = "pthread_create(&t, 0, nothing, 0); "
	for _, c := range []struct {
		main, glibc, musl string // "": no bug
	}{
		{begin + "pthread_detach(t)", "", ""},
		{begin + "pthread_detach(t); pthread_join(t, 0)", "joined, but was detached", "joined, but was detached"},
		{begin + "pthread_detach(t); pthread_detach(t)", "detached twice", "detached twice"},
		{begin + "pthread_join(t, 0); pthread_detach(t)", "detached, but was joined", "detached, but was joined"},
		{begin + "pthread_create(&u, 0, detach, 0); pthread_join(t, 0)", "thread 0.1", "thread 0.1"},
		{begin + "pthread_create(&u, 0, joins, 0); pthread_join(t, 0)", "joined by two threads", "joins a thread that was joined"},
		{begin + "pthread_join(t, 0); if (pthread_join(t, 0) != ESRCH) abort()", "", "joins a thread that was joined"},
		{"pthread_create(&t, detached(), nothing, 0)", "", ""},
		{"pthread_create(&t, detached(), nothing, 0); pthread_join(t, 0)", "joined, but was detached", "joined, but was detached"},
		{"if (pthread_join(first, 0) != EDEADLK) abort()", "", "waits for itself"},
		{"pthread_create(&t, 0, join, 0); x = 1; pthread_exit(0)", "", ""},
	} {
		for cc, want := range map[string]string{"gcc": c.glibc, "musl-gcc": c.musl} {
			guest := compile.Text(t, cc, strings.Replace(program, "MAIN", c.main, 1))
			for _, search := range []string{"none", "source", "optimal", "trust"} {
				cfg := config.Default()
				cfg.Guest, cfg.Out, cfg.PP, cfg.Search, cfg.KeepGoing = guest, config.NoFile, trace.MemPoints, search, true
				r, err := Run(context.Background(), cfg, nil)
				if err != nil {
					t.Fatalf("%s, %s, %s: %v", cc, c.main, search, err)
				}
				r.Finish()
				if want == "" && r.Verdict != result.Verified || want != "" && (r.Bug == nil || !strings.Contains(r.Bug.Message, want)) {
					t.Errorf("%s, %s, %s: %s (%s) %+v, want %q", cc, c.main, search, r.Verdict, r.Reason, r.Bug, want)
				}
			}
		}
	}
}

// TestOwnEndWord: a thread gives the kernel a word of its own to clear at its end. The
// thread that joins it waits for ever, for the C library's word is never cleared.
func TestOwnEndWord(t *testing.T) {
	t.Parallel()
	const source = `#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static int word;
static void *a(void *p) { syscall(SYS_set_tid_address, &word); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); pthread_join(t, 0); }`
	for _, cc := range []string{"gcc", "musl-gcc"} {
		endsAs(t, onProgram(compile.Text(t, cc, source)), "deadlock", "optimal", "none")
	}
}

// TestOwnRobustList: a thread gives the kernel a list of robust futexes of its own, which are
// marked at its end.
func TestOwnRobustList(t *testing.T) {
	t.Parallel()
	const source = `#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static struct { struct robust_list link; unsigned word; } lock;
static struct robust_list_head held = {{&lock.link}, sizeof lock.link, 0};
static void *a(void *p) { lock.link.next = &held.list; lock.word = syscall(SYS_gettid); syscall(SYS_set_robust_list, &held, sizeof held); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); pthread_join(t, 0); assert(lock.word == FUTEX_OWNER_DIED); }`
	endsAs(t, onProgram(compile.Text(t, "gcc", source)), "verified", "optimal", "none")
}
