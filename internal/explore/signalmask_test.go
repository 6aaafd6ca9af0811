package explore

import (
	"testing"

	"landgo/internal/explore/config"
)

// TestCallsWithMasks: what a call gives that waits with a mask of its own, and how often the handler
// has run. Then, whether the signal is pending, and whether the thread blocks it again. Events come first. The
// outcomes are those of two searches, and of the machine that the test runs on.
func TestCallsWithMasks(t *testing.T) {
	const head = `#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
static volatile int n, up; static pthread_t t; static int p[2], r, q, b, e, took; static sigset_t none, usr1;
static struct epoll_event ev = {.events = EPOLLIN}; static struct timespec zero, long_time = {9, 0};
static void h(int g) { n++; }
static void *a(void *x) { struct pollfd f = {p[0], POLLIN, 0}; fd_set s; FD_ZERO(&s); FD_SET(p[0], &s); (void)f;
	BEFORE r = CALL; if (r < 0) r = -errno;
	sigset_t k; sigpending(&k); q = sigismember(&k, SIGUSR1); pthread_sigmask(0, 0, &k); b = sigismember(&k, SIGUSR1); return x; }
int main(void) {
	sigaddset(&usr1, SIGUSR1); pthread_sigmask(SIG_BLOCK, &usr1, 0); signal(SIGUSR1, HANDLER); pipe(p); e = epoll_create1(0); epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev);
	pthread_create(&t, 0, a, 0); DO pthread_join(t, 0); printf("%d %d %d %d", r, n, q, b); fflush(stdout); }
`
	const (
		poll, sel, epoll = "ppoll(&f, 1, 0, &none)", "pselect(p[0] + 1, &s, 0, 0, 0, &none)", "epoll_pwait(e, &ev, 1, -1, &none)"
		kill, write      = "pthread_kill(t, SIGUSR1); ", `write(p[1], "x", 1); `
		spin             = "while (!up) ;"
	)
	for i, c := range []struct{ name, call, before, handler, do, want string }{
		{"ppoll and a signal", poll, "", "h", kill, "-4 1 0 1"},
		{"pselect and a signal", sel, "", "h", kill, "-4 1 0 1"},
		{"epoll_pwait and a signal", epoll, "", "h", kill, "-4 1 0 1"},
		{"ppoll of nothing", "ppoll(0, 0, 0, &none)", "", "h", kill, "-4 1 0 1"},
		{"ppoll of nothing for a time", "ppoll(0, 0, &long_time, &none)", "", "h", kill, "-4 1 0 1"},
		{"pselect of nothing for a time", "pselect(0, 0, 0, 0, &long_time, &none)", "", "h", kill, "-4 1 0 1"},
		// The signal may still be pending when the call has returned.
		{"ppoll, a signal and an event", poll, "", "h", kill + write, "-4 1 0 1|1 0 1 1"},
		{"pselect, a signal and an event", sel, "", "h", kill + write, "-4 1 0 1|1 0 1 1"},
		{"epoll_pwait, a signal and an event", epoll, "", "h", kill + write, "-4 1 0 1|1 0 1 1"},
		{"ppoll, an event and a signal", poll, "", "h", write + kill, "1 0 0 1|1 0 1 1"},
		// A signal that was pending before. With no time to wait, epoll doesn't look for signals.
		{"ppoll for no time", "ppoll(&f, 1, &zero, &none)", spin, "h", kill + "up = 1; ", "-4 1 0 1"},
		{"pselect for no time", "pselect(p[0] + 1, &s, 0, 0, &zero, &none)", spin, "h", kill + "up = 1; ", "-4 1 0 1"},
		{"epoll_pwait for no time", "epoll_pwait(e, &ev, 1, 0, &none)", spin, "h", kill + "up = 1; ", "0 0 1 1"},
		// It ends no call if it has no effect, or if the main thread takes it.
		{"a signal that is ignored", poll, "", "SIG_IGN", kill + write, "1 0 0 1|1 0 1 1"},
		{"a signal that is taken", poll, "", "h", "kill(getpid(), SIGUSR1); took = sigtimedwait(&usr1, 0, &zero) > 0; " + write + "if (took) n += 10; ", "-4 1 0 1|1 10 0 1"},
		// A mask that closes: the signal comes when the call is over.
		{"a mask that blocks", "ppoll(&f, 1, 0, &usr1)", "pthread_sigmask(SIG_UNBLOCK, &usr1, 0);", "h", kill + write, "1 1 0 0"},
	} {
		source := defines(head, "CALL", c.call, "BEFORE", c.before, "HANDLER", c.handler, "DO", c.do)
		onLibraries(t, i, c.name, source, func(t *testing.T, guest string, cfg config.Config) {
			listsLikeMachine(t, guest, cfg, c.want, 10)
		})
	}
}

// TestPollEnds: a poll that a signal ends says that there are no events, whatever was there. epoll looks
// at the place for events if it has one.
func TestPollEnds(t *testing.T) {
	const head = `#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>
static int p[2], r, e; static sigset_t none, usr1; static struct pollfd f;
static struct epoll_event ev = {.events = EPOLLIN};
static void h(int g) { }
static void *a(void *x) { f = (struct pollfd){p[0], POLLIN, 7}; r = CALL; if (r < 0) r = -errno; return x; }
int main(void) { pthread_t t;
	sigaddset(&usr1, SIGUSR1); signal(SIGUSR1, h); pipe(p); e = epoll_create1(0); epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev);
	if (BLOCKED) pthread_sigmask(SIG_BLOCK, &usr1, 0);
	DO pthread_create(&t, 0, a, 0); pthread_kill(t, SIGUSR1); pthread_join(t, 0); printf("%d %d", r, f.revents); fflush(stdout); }
`
	for i, c := range []struct{ name, call, blocked, do, want string }{
		{"poll", "poll(&f, 1, 20)", "0", "", "-4 0|0 0"},
		{"ppoll", "ppoll(&f, 1, 0, &none)", "1", "", "-4 0"},
		{"epoll without an event", "epoll_wait(e, (void *)16, 1, 0)", "1", "", "0 7"},
		{"epoll with an event", "epoll_wait(e, (void *)16, 1, 0)", "1", `write(p[1], "x", 1); `, "-14 7"},
	} {
		source := defines(head, "CALL", c.call, "BLOCKED", c.blocked, "DO", c.do)
		onLibraries(t, i, c.name, source, func(t *testing.T, guest string, cfg config.Config) {
			listsLikeMachine(t, guest, cfg, c.want, 10)
		})
	}
}
