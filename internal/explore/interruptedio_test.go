package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestInterruptedIO: with --faults eintr=1 a call that waits for a pipe or its kin may end
// with EINTR. One that needn't wait doesn't, and a program that tries again is right.
func TestInterruptedIO(t *testing.T) {
	t.Parallel()
	const program = `#include <errno.h>
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>
static int p[2], s[2], e, ep, given;
static char c;
static void *wait(void *a) { long n; uint64_t v; struct epoll_event ev; struct pollfd f = {p[0], POLLIN}; fd_set r; FD_ZERO(&r); FD_SET(p[0], &r);
	(void)v, (void)ev, (void)f;
	do n = CALL; while (AGAIN n < 0 && errno == EINTR);
	assert(n > 0);
	return a; }
static void *give(void *a) { uint64_t one = 1; assert(write(p[1], "x", 1) == 1); assert(send(s[1], "y", 1, 0) == 1); assert(write(e, &one, 8) == 8); return a; }
int main(void) {
	pthread_t a, b;
	pipe(p); socketpair(AF_UNIX, SOCK_STREAM, 0, s); e = eventfd(0, 0); ep = epoll_create1(0);
	epoll_ctl(ep, EPOLL_CTL_ADD, e, &(struct epoll_event){EPOLLIN});
	if (FIRST) give(0);
	pthread_create(&a, 0, wait, 0);
	pthread_create(&b, 0, FIRST ? (void *(*)(void *))pthread_exit : give, 0);
	pthread_join(a, 0); pthread_join(b, 0);
	return 0;
}
`
	for i, c := range []struct{ name, call string }{
		{"read", "read(p[0], &c, 1)"},
		{"recv", "recv(s[0], &c, 1, 0)"},
		{"eventfd", "read(e, &v, 8)"},
		{"poll", "poll(&f, 1, -1)"},
		{"select", "select(p[0] + 1, &r, 0, 0, 0)"},
		{"epoll", "epoll_wait(ep, &ev, 1, -1)"},
	} {
		for _, way := range []struct {
			name, again, first string
			want               result.Verdict
		}{
			{"once", "0 &&", "0", result.Buggy},
			{"again", "", "0", result.Verified},
			{"without a wait", "0 &&", "1", result.Verified},
		} {
			cc := libraries(i)[0]
			t.Run(c.name+" "+way.name, func(t *testing.T) {
				t.Parallel()
				bin := compile.Text(t, cc, defines(program, "CALL", c.call, "AGAIN", way.again, "FIRST", way.first))
				for _, search := range []string{"", "none"} {
					cfg := config.Default()
					cfg.Guest, cfg.Out, cfg.Faults = bin, config.NoFile, "eintr=1"
					if search != "" {
						cfg.Search = search
					}
					r, err := Run(context.Background(), cfg, nil)
					if err != nil || r.Verdict != way.want || r.Verdict == result.Buggy && r.Bug.Faults != 1 {
						t.Errorf("search %q: %v (%s) %v", search, r.Verdict, r.Reason, err)
					}
				}
			})
		}
	}
}
