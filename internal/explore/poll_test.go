package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestPoll: what poll finds of descriptors, and when it waits; and that membarrier is
// announced before it is used. Linux gives the same results, with standard input from an
// empty pipe whose other end is closed.
func TestPoll(t *testing.T) {
	t.Parallel()
	const source = `#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static char text[4096];
static long fence(int cmd) { return syscall(SYS_membarrier, cmd, 0, 0); }
int main(void)
{
	int null = open("/dev/null", O_RDWR);
	struct pollfd f[] = {{0, 0}, {1, POLLOUT}, {2, 0}, {null, POLLIN | POLLOUT}, {99, POLLIN}, {-1, POLLIN}};
	assert(poll(f, 6, 0) == 4);
	assert(f[0].revents == POLLHUP && f[1].revents == POLLOUT && f[2].revents == 0);
	assert(f[3].revents == (POLLIN | POLLOUT) && f[4].revents == POLLNVAL && f[5].revents == 0);
	struct pollfd none = {1, POLLIN, 7};
	struct timespec before, after, t = {0, 2000000};
	clock_gettime(CLOCK_MONOTONIC, &before);
	assert(poll(&none, 1, 0) == 0 && none.revents == 0);
	assert(poll(&none, 1, 2) == 0 && ppoll(&none, 1, &t, 0) == 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >= 4000000);
	assert(poll((struct pollfd *)8, 1, 0) == -1 && errno == EFAULT);
	assert(poll(f, 1 << 20, 0) == -1 && errno == EINVAL);
	int s[2];
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && fcntl(s[1], F_SETFL, O_NONBLOCK) == 0);
	while (write(s[1], text, sizeof text) > 0) ;
	struct pollfd full = {s[1], POLLOUT};
	assert(poll(&full, 1, 0) == 0);
	close(s[0]); // and what it hasn't read is gone
	assert(poll(&full, 1, 0) == 1 && full.revents == (POLLOUT | POLLERR | POLLHUP));
	assert(fence(0) & 8);
	assert(fence(8) == -1 && errno == EPERM);
	assert(fence(16) == 0 && fence(8) == 0);
}
`
	c := config.Default()
	c.Guest = compile.Text(t, "gcc", source)
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Verified {
		t.Errorf("%s: %s, %+v", r.Verdict, r.Reason, r.Bug)
	}
	c.Input = []byte("text")
	c.Guest = compile.Text(t, "gcc", `#include <poll.h>
int main(void) { struct pollfd f = {0, POLLOUT}; return poll(&f, 1, -1); }`)
	if r, err = Run(context.Background(), c, nil); err != nil || r.Verdict != result.Invalid {
		t.Errorf("a wait for the end of the input: %v, %v", r, err)
	}
}
