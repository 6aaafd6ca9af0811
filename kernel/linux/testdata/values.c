// Values of calls at their borders: what is left of a time, arguments that hardly fit, buffers that
// can't be written.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define PAGE 4096
#define SAY(x) say(#x, (errno = 0, (long)(x)))

static void say(const char *what, long value) { printf("%s: %ld, %d\n", what, value, errno); }

static char *pages(int n) { return mmap(0, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

static void times(void)
{
	struct timeval tv = {0, 2000};
	SAY(select(0, 0, 0, 0, &tv));
	SAY(tv.tv_usec);
	tv.tv_usec = 3000;
	SAY(syscall(SYS_select, 0, 0, 0, 0, &tv));
	SAY(tv.tv_usec);
	struct timespec ts = {0, 2000000};
	SAY(syscall(SYS_pselect6, 0, 0, 0, 0, &ts, 0));
	SAY(ts.tv_nsec);
	ts.tv_nsec = 1000000;
	SAY(syscall(SYS_ppoll, 0, 0, &ts, 0, 0));
	SAY(ts.tv_nsec);
	static const struct timespec constant = {0, 1000};
	SAY(syscall(SYS_ppoll, 0, 0, &constant, 0, 0));
}

static void descriptors(void)
{
	int p[2], e = eventfd(0, EFD_NONBLOCK), ep = epoll_create1(0), s = signalfd(-1, &(sigset_t){0}, 0);
	SAY(pipe(p));
	SAY(lseek(e, 5, SEEK_SET));
	SAY(lseek(ep, 0, SEEK_CUR));
	SAY(lseek(s, 0, SEEK_END));
	SAY(lseek(timerfd_create(CLOCK_MONOTONIC, 0), 0, SEEK_SET));
	SAY(lseek(e, 0, 99));
	SAY(lseek(p[0], 0, SEEK_SET));
	SAY(fcntl(p[0], F_SETPIPE_SZ, 0));
	SAY(syscall(SYS_fcntl, syscall(SYS_memfd_create, "m", 0), F_GETFL));
	SAY(syscall(SYS_fcntl, p[1], F_GETFL));
	struct epoll_event x = {.events = EPOLLEXCLUSIVE | EPOLLIN | EPOLLONESHOT};
	SAY(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &x));
	SAY(epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &x));
	x.events = EPOLLEXCLUSIVE | EPOLLIN | EPOLLPRI;
	SAY(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &x));
	x.events = EPOLLEXCLUSIVE | EPOLLIN | EPOLLET;
	SAY(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &x));
	SAY(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &x));
}

static void signals(void)
{
	unsigned long set[2] = {0, 77}, action[4] = {(unsigned long)SIG_IGN, 0xffff7c00u | SA_NODEFER, 0, 0};
	SAY(syscall(SYS_rt_sigpending, set, 9));
	set[0] = 0x5555;
	SAY(syscall(SYS_rt_sigpending, set, 4));
	SAY(set[1]);
	SAY(syscall(SYS_rt_sigaction, SIGUSR1, action, 0, 8));
	SAY(syscall(SYS_rt_sigaction, SIGUSR1, 0, action, 8));
	SAY(action[1]);
}

static void maps(void)
{
	char *m = pages(4);
	SAY(mmap(0, PAGE, PROT_READ, MAP_SHARED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	SAY(madvise(m, -1L, MADV_DONTNEED));
	SAY(madvise(m, 4 * PAGE, MADV_DONTNEED));
	SAY(mprotect(m + PAGE, PAGE, PROT_READ));
	SAY(mremap(m, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	SAY(mremap(m, 4 * PAGE, 3 * PAGE, MREMAP_MAYMOVE) == m);
	SAY(mremap(m, PAGE, 8 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
}

static void buffers(void)
{
	char *end = pages(2) + PAGE, b[64];
	int p[2], s[2], e = eventfd(5, EFD_NONBLOCK);
	SAY(munmap(end, PAGE));
	SAY(read(e, end - 4, 8));
	SAY(read(e, b, 8));
	SAY(pipe(p));
	SAY(write(p[1], "ab", 2));
	SAY(read(p[0], end - 2, 30));
	SAY(end[-1]);
	SAY(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
	SAY(send(s[0], "abcdef", 6, 0));
	SAY(send(s[0], "gh", 2, 0));
	SAY(recv(s[1], end - 3, 20, 0));
	SAY(recv(s[1], end - 3, 20, 0));
	SAY(recv(s[1], end - 3, 20, MSG_DONTWAIT));
	SAY(shutdown(s[1], SHUT_RD));
	SAY(recv(s[1], b, 3, MSG_DONTWAIT));
	SAY(recv(s[1], b, 3, 0));
	SAY(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	SAY(send(s[0], "abcdef", 6, 0));
	SAY(recv(s[1], end - 3, 3, 0));
	SAY(recv(s[1], end - 3, 20, 0));
}

int main(void)
{
	times();
	descriptors();
	signals();
	maps();
	buffers();
	return 0;
}
