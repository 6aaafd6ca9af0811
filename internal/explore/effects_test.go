package explore

import (
	"context"
	"testing"
	"time"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestKernelEffects: two threads' system calls, or a call and an access, whose order
// can be told. Each program's assertion (or signal) fails in one order only. Every
// machine with two cores shows both.
func TestKernelEffects(t *testing.T) {
	const head = `#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
static long x, y;
static char buf[512];
static void h(int s) { x++; }
static sigset_t set(int s) { sigset_t m; sigemptyset(&m); sigaddset(&m, s); return m; }
static void block(int s) { sigset_t m = set(s); pthread_sigmask(SIG_BLOCK, &m, 0); }
static void unblock(int s) { sigset_t m = set(s); pthread_sigmask(SIG_UNBLOCK, &m, 0); }
#define A static void *a(void *p)
#define B static void *b(void *p)
#define MAIN(before, after) int main(void) { before; pthread_t t, u; pthread_create(&t, 0, a, 0); pthread_create(&u, 0, b, 0); \
	pthread_join(t, 0); pthread_join(u, 0); after; return 0; }
#define PAGE mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
`
	// fills makes a program whose thread b reads the buffer that thread a's call fills.
	fills := func(call string) string {
		return `A { ` + call + `; return p; } B { for (int i = 0; i < 200; i++) if (((volatile char *)buf)[i]) y = 1; return p; } MAIN(, assert(!y))`
	}
	for i, c := range []struct{ name, source, want string }{
		// Dispositions.
		{"raise and signal", `A { raise(SIGUSR1); return p; } B { signal(SIGUSR1, h); return p; } MAIN(, )`, "assertion"},
		{"raise and ignore", `A { raise(SIGUSR1); return p; } B { signal(SIGUSR1, SIG_IGN); return p; } MAIN(signal(SIGUSR1, h), assert(x))`, "assertion"},
		{"unblock and ignore", `A { block(SIGUSR1); raise(SIGUSR1); unblock(SIGUSR1); return p; } B { signal(SIGUSR1, SIG_IGN); return p; } MAIN(signal(SIGUSR1, h), assert(x))`, "assertion"},
		{"two dispositions", `A { signal(SIGUSR1, SIG_IGN); return p; } B { signal(SIGUSR1, h); return p; } MAIN(, raise(SIGUSR1); assert(x))`, "assertion"},
		{"a fault's handler", `static void f(int s) { _exit(0); } A { *(volatile int *)1; return p; } B { signal(SIGSEGV, f); return p; } MAIN(, )`, "segfault"},
		{"raise twice", `A { raise(SIGUSR1); return p; } B { raise(SIGUSR1); return p; } MAIN(signal(SIGUSR1, SIG_IGN), )`, "verified"},
		// Signals of the process, masks.
		{"the thread that unblocks first", `static __thread int me; static volatile int who; static void w(int s) { who = me; }
A { me = 1; unblock(SIGUSR1); return p; } B { me = 2; unblock(SIGUSR1); return p; } MAIN(signal(SIGUSR1, w); block(SIGUSR1); kill(getpid(), SIGUSR1), assert(who == 1))`, "assertion"},
		{"sigwait or unblock", `A { sigset_t m = set(SIGUSR1); struct timespec z = {0}; y = sigtimedwait(&m, 0, &z); return p; } B { unblock(SIGUSR1); return p; } MAIN(signal(SIGUSR1, h); block(SIGUSR1); kill(getpid(), SIGUSR1), assert(x))`, "assertion"},
		{"two that look for it", `A { sigset_t m = set(SIGUSR1); struct timespec z = {0}; x = sigtimedwait(&m, 0, &z) > 0; return p; } B { sigset_t m = set(SIGUSR1); struct timespec z = {0}; y = sigtimedwait(&m, 0, &z) > 0; return p; } MAIN(block(SIGUSR1); kill(getpid(), SIGUSR1), assert(x + y == 1); assert(x))`, "assertion"},
		{"kill and sigpending", `A { kill(getpid(), SIGUSR1); return p; } B { sigset_t m; sigpending(&m); y = sigismember(&m, SIGUSR1); return p; } MAIN(block(SIGUSR1), assert(!y))`, "assertion"},
		{"kill and a mask", `static __thread int me; static volatile int who; static void w(int s) { who = me; }
A { me = 1; unblock(SIGUSR1); return p; } B { me = 2; kill(getpid(), SIGUSR1); unblock(SIGUSR1); return p; } MAIN(signal(SIGUSR1, w); block(SIGUSR1), assert(who == 2))`, "assertion"},
		{"a thread's mask and a signal to it", `static pthread_t first; static volatile int in; static void w(int s) { x = in; }
A { pthread_kill(first, SIGUSR1); return p; } int main(void) { signal(SIGUSR1, w); first = pthread_self(); pthread_t t; pthread_create(&t, 0, a, 0); in = 1; block(SIGUSR1); in = 2; unblock(SIGUSR1); in = 3; pthread_join(t, 0); assert(x != 1); }`, "assertion"},
		{"a signal that comes twice", `static volatile int n; static pthread_t first; static void w(int s) { n++; } A { pthread_kill(first, SIGUSR1); pthread_kill(first, SIGUSR1); return p; }
int main(void) { first = pthread_self(); signal(SIGUSR1, w); pthread_t t; pthread_create(&t, 0, a, 0); pthread_join(t, 0); assert(n == 2); }`, "assertion"},
		{"a signal to a thread that ends", `static pthread_t first; A { return p; } B { y = pthread_kill(first, SIGUSR1); return p; }
int main(void) { signal(SIGUSR1, h); pthread_t u; pthread_create(&first, 0, a, 0); pthread_create(&u, 0, b, 0); pthread_join(u, 0); pthread_join(first, 0); assert(!y); }`, "verified"},
		{"a signal before a thread's end", `static pthread_t first; A { return p; } B { pthread_kill(first, SIGUSR1); return p; }
int main(void) { signal(SIGUSR1, h); pthread_t u; pthread_create(&first, 0, a, 0); pthread_create(&u, 0, b, 0); pthread_join(u, 0); pthread_join(first, 0); assert(!x); }`, "assertion"},
		// Calls that write the guest's memory.
		{"getrandom", fills(`getrandom(buf, 8, 0)`), "assertion"},
		{"uname", fills(`uname((void *)buf)`), "assertion"},
		{"getrlimit", fills(`getrlimit(RLIMIT_NOFILE, (void *)buf)`), "assertion"},
		{"clock_getres", fills(`syscall(SYS_clock_getres, 0, buf)`), "assertion"},
		{"clock_gettime", fills(`syscall(SYS_clock_gettime, 0, buf)`), "assertion"},
		{"gettimeofday", fills(`syscall(SYS_gettimeofday, buf, 0)`), "assertion"},
		{"getcwd", fills(`syscall(SYS_getcwd, buf, 100)`), "assertion"},
		{"fstat", fills(`syscall(SYS_fstat, 1, buf)`), "assertion"},
		{"stat", fills(`syscall(SYS_stat, "/dev/null", buf)`), "assertion"},
		{"readlink", fills(`syscall(SYS_readlink, "/proc/self/exe", buf, 100)`), "assertion"},
		{"sysinfo", fills(`syscall(SYS_sysinfo, buf)`), "assertion"},
		{"times", fills(`syscall(SYS_clock_nanosleep, CLOCK_PROCESS_CPUTIME_ID, 0, &(struct timespec){9, 0}, 0); syscall(SYS_times, buf)`), "assertion"},
		{"sigpending", fills(`block(3); raise(3); syscall(SYS_rt_sigpending, buf, 8)`), "assertion"},
		{"sigprocmask", fills(`block(3); syscall(SYS_rt_sigprocmask, 0, 0, buf, 8)`), "assertion"},
		{"sigaction", fills(`signal(SIGUSR1, h); syscall(SYS_rt_sigaction, SIGUSR1, 0, buf, 8)`), "assertion"},
		{"sigaltstack", fills(`syscall(SYS_sigaltstack, 0, buf)`), "assertion"},
		{"sched_getaffinity", fills(`syscall(SYS_sched_getaffinity, 0, 8, buf)`), "assertion"},
		{"arch_prctl", fills(`syscall(SYS_arch_prctl, 0x1003, buf)`), "assertion"},
		{"prctl", fills(`prctl(PR_SET_NAME, "abc"); prctl(PR_GET_NAME, buf)`), "assertion"},
		{"get_robust_list", fills(`syscall(SYS_get_robust_list, 0, buf, buf + 8)`), "assertion"},
		{"a siginfo", fills(`block(3); raise(3); sigset_t m = set(3); sigwaitinfo(&m, (void *)buf)`), "assertion"},
		// Calls that read it.
		{"a mask that another writes", `static sigset_t m; A { syscall(SYS_rt_sigprocmask, SIG_BLOCK, &m, 0, 8); raise(SIGUSR1); return p; } B { *(volatile long *)&m = -1; return p; } MAIN(signal(SIGUSR1, h), assert(x))`, "assertion"},
		{"a time that another writes", `static volatile struct timespec ts = {0, 2000000000}; A { y = syscall(SYS_nanosleep, &ts, 0); return p; } B { ts.tv_nsec = 0; return p; } MAIN(, assert(y))`, "assertion"},
		{"a select's time", `static volatile struct timeval tv = {0, 2000000}; A { y = syscall(SYS_select, 0, 0, 0, 0, &tv); return p; } B { tv.tv_usec = 0; return p; } MAIN(, assert(y))`, "assertion"},
		{"a vector that another writes", `static volatile struct iovec v = {(void *)1, 1}; A { y = writev(1, (void *)&v, 1); return p; } B { v.iov_base = "x"; return p; } MAIN(, assert(y < 0))`, "assertion"},
		{"a path that another writes", `static volatile char path[] = "/dev/nulx"; A { y = access((char *)path, R_OK); return p; } B { path[8] = 'l'; return p; } MAIN(, assert(y))`, "assertion"},
		{"a name that another writes", `static volatile char name[] = "abc"; A { prctl(PR_SET_NAME, name); prctl(PR_GET_NAME, buf); y = buf[0]; return p; } B { name[0] = 'z'; return p; } MAIN(, assert(y == 'a'))`, "assertion"},
		{"an affinity that another writes", `static volatile long m; A { y = syscall(SYS_sched_setaffinity, 0, 8, &m); return p; } B { m = 1; return p; } MAIN(, assert(y))`, "assertion"},
		// Descriptors.
		{"write and close", `static int fd; A { y = write(fd, "x", 1); return p; } B { close(fd); return p; } MAIN(fd = dup(1), assert(y == 1))`, "assertion"},
		{"writev and dup2", `static int fd; A { y = write(fd, "x", 1); return p; } B { dup2(1, 9); return p; } MAIN(fd = 9, assert(y < 0))`, "assertion"},
		{"the lowest descriptor", `A { x = dup(1); return p; } B { y = dup(2); return p; } MAIN(, assert(x < y))`, "assertion"},
		{"fstat and close", `static int fd; A { struct stat s; y = fstat(fd, &s); return p; } B { close(fd); return p; } MAIN(fd = dup(1), assert(!y))`, "assertion"},
		{"a flag of a descriptor", `static int fd; A { y = fcntl(fd, F_GETFD); return p; } B { fcntl(fd, F_SETFD, FD_CLOEXEC); return p; } MAIN(fd = dup(1), assert(!y))`, "assertion"},
		{"a limit and a descriptor", `A { x = dup(1); return p; } B { struct rlimit l; getrlimit(RLIMIT_NOFILE, &l); l.rlim_cur = 3; setrlimit(RLIMIT_NOFILE, &l); return p; } MAIN(, assert(x == 3))`, "assertion"},
		{"a limit and a look at it", `A { struct rlimit l; getrlimit(RLIMIT_NOFILE, &l); x = l.rlim_cur; return p; } B { struct rlimit l = {3, 3}; setrlimit(RLIMIT_NOFILE, &l); return p; } MAIN(, assert(x > 3))`, "assertion"},
		{"another thread's processors", `static int first; A { long m = 2; syscall(SYS_sched_setaffinity, first, 8, &m); return p; }
int main(void) { first = syscall(SYS_gettid); pthread_t t; pthread_create(&t, 0, a, 0); int cpu; syscall(SYS_getcpu, &cpu, 0, 0); pthread_join(t, 0); assert(!cpu); }`, "assertion"},
		{"two names for a file", `A { x = !rename("/dev/shm/f", "/dev/shm/g"); return p; } B { y = !rename("/dev/shm/f", "/dev/shm/h"); return p; } MAIN(close(open("/dev/shm/f", O_CREAT | O_RDWR, 0600)), assert(x + y == 1); assert(x))`, "assertion"},
		{"a folder that both make", `A { x = !mkdir("/dev/shm/d", 0700); return p; } B { y = !mkdir("/dev/shm/d", 0700); return p; } MAIN(, assert(x + y == 1); assert(y))`, "assertion"},
		{"two writes", `A { write(1, "x", 1); return p; } B { write(1, "y", 1); return p; } MAIN(, )`, "verified"},
		// Objects that threads talk through.
		{"two writers to a pipe", `static int q[2]; A { write(q[1], "a", 1); return p; } B { write(q[1], "b", 1); return p; } MAIN(pipe(q), read(q[0], buf, 2); assert(buf[0] == 'a'))`, "assertion"},
		{"two readers of a pipe", `static int q[2]; A { char c; read(q[0], &c, 1); x = c; return p; } B { char c; read(q[0], &c, 1); y = c; return p; } MAIN(pipe(q); write(q[1], "ab", 2), assert(x == 'a'))`, "assertion"},
		{"a read that waits", `static int q[2]; A { char c = 0; read(q[0], &c, 1); x = c; return p; } B { write(q[1], "b", 1); return p; } MAIN(pipe(q), assert(x == 'b'))`, "verified"},
		{"a write that waits", `static int q[2]; static char big[65536]; A { x = write(q[1], "b", 1); return p; } B { read(q[0], big, 4096); return p; } MAIN(pipe(q); write(q[1], big, 65536), assert(x == 1))`, "verified"},
		{"a long write and a short one", `static int q[2]; static char big[66000]; A { write(q[1], big, 66000); return p; } B { write(q[1], "b", 1); return p; } MAIN(pipe(q); pthread_t r; void *all(void *); pthread_create(&r, 0, all, q), pthread_join(r, 0); assert(y == 66000))
void *all(void *a) { int *q = a; static char got[70000]; long n = 0; while (n < 66001) n += read(q[0], got + n, 70000 - n); for (y = 0; got[y] != 'b'; y++); return a; }`, "assertion"},
		{"a write to what is closed", `static int q[2]; A { y = write(q[1], "a", 1); return p; } B { close(q[0]); return p; } MAIN(pipe(q); signal(SIGPIPE, SIG_IGN), assert(y == 1))`, "assertion"},
		{"a pipe's end", `static int q[2]; A { char c; while (read(q[0], &c, 1) > 0) x++; return p; } B { write(q[1], "abc", 3); close(q[1]); return p; } MAIN(pipe(q), assert(x == 3))`, "verified"},
		{"a pipe that no thread closes", `static int q[2]; A { char c; while (read(q[0], &c, 1) > 0) x++; return p; } B { write(q[1], "abc", 3); return p; } MAIN(pipe(q), assert(x == 3))`, "deadlock"},
		{"a signal that no thread ignores", `static int q[2]; A { write(q[1], "a", 1); return p; } B { close(q[0]); return p; } MAIN(pipe(q), )`, "assertion"},
		{"a try on a pipe", `static int q[2]; A { char c; x = read(q[0], &c, 1); return p; } B { write(q[1], "b", 1); return p; } MAIN(pipe2(q, O_NONBLOCK), assert(x == 1))`, "assertion"},
		{"a loop that tries", `static int q[2]; A { char c; while (read(q[0], &c, 1) < 0) assert(errno == EAGAIN); return p; } B { write(q[1], "b", 1); return p; } MAIN(pipe2(q, O_NONBLOCK), )`, "verified"},
		{"a message and its bounds", `static int q[2]; A { send(q[1], "ab", 2, 0); return p; } B { send(q[1], "c", 1, 0); return p; } MAIN(socketpair(AF_UNIX, SOCK_DGRAM, 0, q), x = recv(q[0], buf, 9, 0); assert(x == 2))`, "assertion"},
		{"the first of two datagrams is refused", `static int q[2]; A { x = send(q[1], "a", 1, 0) < 0 ? errno : 0; return p; } B { y = send(q[1], "b", 1, 0) < 0 ? errno : 0; return p; } MAIN(socketpair(AF_UNIX, SOCK_DGRAM, 0, q); close(q[0]), assert(x == ECONNREFUSED && y == ENOTCONN || x == ENOTCONN && y == ECONNREFUSED))`, "verified"},
		{"a shutdown", `static int q[2]; A { y = send(q[1], "ab", 2, MSG_NOSIGNAL); return p; } B { shutdown(q[0], SHUT_RD); return p; } MAIN(socketpair(AF_UNIX, SOCK_STREAM, 0, q), assert(y == 2))`, "assertion"},
		{"a count that is taken whole", `static int e; A { eventfd_write(e, 1); return p; } B { eventfd_write(e, 2); return p; } MAIN(e = eventfd(0, 0); pthread_t r; void *get(void *); pthread_create(&r, 0, get, 0), pthread_join(r, 0); assert(x == 3))
void *get(void *a) { eventfd_t v; eventfd_read(e, &v); x = v; return a; }`, "assertion"},
		{"a count that is taken by ones", `static int e; A { eventfd_t v; eventfd_read(e, &v); assert(v == 1); return p; } B { eventfd_t v; eventfd_read(e, &v); assert(v == 1); return p; } MAIN(e = eventfd(2, EFD_SEMAPHORE), )`, "verified"},
		{"which event comes first", `static int e[2]; A { eventfd_write(e[0], 1); return p; } B { eventfd_write(e[1], 1); return p; } MAIN(int ep = epoll_create1(0); for (int i = 0; i < 2; i++) { e[i] = eventfd(0, 0); epoll_ctl(ep, EPOLL_CTL_ADD, e[i], &(struct epoll_event){EPOLLIN, {.fd = i}}); },
	struct epoll_event v[2]; assert(epoll_wait(ep, v, 2, -1) == 2); assert(v[0].data.fd == 0))`, "assertion"},
		{"an edge for one of two", `static int e, ep; static _Atomic int n; A { struct epoll_event v; n += epoll_wait(ep, &v, 1, 0); return p; } B { struct epoll_event v; n += epoll_wait(ep, &v, 1, 0); return p; }
MAIN(ep = epoll_create1(0); e = eventfd(1, 0); epoll_ctl(ep, EPOLL_CTL_ADD, e, &(struct epoll_event){EPOLLIN | EPOLLET}), assert(n == 1))`, "verified"},
		{"a level for both", `static int e, ep; static _Atomic int n; A { struct epoll_event v; n += epoll_wait(ep, &v, 1, -1); return p; } B { struct epoll_event v; n += epoll_wait(ep, &v, 1, -1); return p; }
MAIN(ep = epoll_create1(0); e = eventfd(1, 0); epoll_ctl(ep, EPOLL_CTL_ADD, e, &(struct epoll_event){EPOLLIN}), assert(n == 2))`, "verified"},
		{"one shot for two", `static int e, ep; A { struct epoll_event v; epoll_wait(ep, &v, 1, -1); return p; } B { struct epoll_event v; epoll_wait(ep, &v, 1, -1); return p; }
MAIN(ep = epoll_create1(0); e = eventfd(1, 0); epoll_ctl(ep, EPOLL_CTL_ADD, e, &(struct epoll_event){EPOLLIN | EPOLLONESHOT}), )`, "deadlock"},
		{"a poll of two", `static int q[2], r[2]; A { write(q[1], "a", 1); return p; } B { write(r[1], "b", 1); return p; } MAIN(pipe(q); pipe(r); pthread_t t3; void *get(void *); pthread_create(&t3, 0, get, 0), pthread_join(t3, 0); assert(x == 1))
void *get(void *a) { struct pollfd f[2] = {{q[0], POLLIN}, {r[0], POLLIN}}; x = poll(f, 2, -1); return a; }`, "assertion"},
		{"a select that waits", `static int q[2]; A { fd_set s; FD_ZERO(&s); FD_SET(q[0], &s); x = select(q[0] + 1, &s, 0, 0, 0); y = FD_ISSET(q[0], &s) != 0; return p; } B { write(q[1], "a", 1); return p; } MAIN(pipe(q), assert(x == 1 && y))`, "verified"},
		{"a poll's time", `static int q[2]; A { struct pollfd f = {q[0], POLLIN}; x = poll(&f, 1, 1000); return p; } B { write(q[1], "a", 1); return p; } MAIN(pipe(q), assert(x == 1))`, "verified"},
		{"a timer and a sleep", `static int f; static long now(void) { struct timespec s; clock_gettime(CLOCK_MONOTONIC, &s); return s.tv_sec * 1000000000 + s.tv_nsec; }
A { uint64_t n; read(f, &n, 8); x = n; return p; } B { return p; } MAIN(long t0 = now(); f = timerfd_create(CLOCK_MONOTONIC, 0); timerfd_settime(f, 0, &(struct itimerspec){{0}, {1, 0}}, 0), assert(x == 1 && now() - t0 >= 1000000000))`, "verified"},
		{"a loop that asks a timer", `static int f; A { uint64_t n; while (read(f, &n, 8) < 0) sched_yield(); x = n; return p; } B { return p; } MAIN(f = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK); timerfd_settime(f, 0, &(struct itimerspec){{0}, {1, 0}}, 0), assert(x == 1))`, "verified"},
		{"a signal that is read", `static int f; A { struct signalfd_siginfo i; read(f, &i, sizeof i); x = i.ssi_signo; return p; } B { kill(getpid(), SIGUSR1); return p; } MAIN(sigset_t m = set(SIGUSR1); block(SIGUSR1); f = signalfd(-1, &m, 0), assert(x == SIGUSR1))`, "verified"},
		{"bytes that no thread has read", `static int q[2]; A { int n = 0; ioctl(q[0], FIONREAD, &n); x = n; return p; } B { write(q[1], "abc", 3); return p; } MAIN(pipe(q), assert(!x))`, "assertion"},
		{"a file in memory", `static int f; A { pwrite(f, "a", 1, 0); return p; } B { pwrite(f, "b", 1, 0); return p; } MAIN(f = memfd_create("m", 0), pread(f, buf, 1, 0); assert(buf[0] == 'a'))`, "assertion"},
		{"vectors at a place", `static int f; static char c; A { struct iovec v[2] = {{"xa", 1}, {"a", 1}}; pwritev(f, v, 2, 4); return p; } B { struct iovec v[2] = {{buf, 5}, {&c, 1}}; y = preadv(f, v, 2, 0); return p; } MAIN(f = memfd_create("m", 0); write(f, "abcd", 4), if (lseek(f, 0, SEEK_CUR) != 4 || y != 4 && y != 6 || y == 6 && (buf[4] != 'x' || c != 'a')) *(volatile char *)0; assert(y == 6))`, "assertion"},
		{"vectors where the file is", `static int f; A { struct iovec v = {"x", 1}; syscall(SYS_pwritev2, f, &v, 1L, -1L, -1L, 0); return p; } B { struct iovec v = {"y", 1}; syscall(SYS_pwritev2, f, &v, 1L, -1L, -1L, 0); return p; } static struct iovec v; MAIN(f = memfd_create("m", 0), v.iov_base = buf; v.iov_len = 3; if (syscall(SYS_preadv2, f, &v, 1L, 0L, 0L, 0) != 2 || syscall(SYS_preadv2, f, &v, 1L, -1L, -1L, 0) != 0) *(volatile char *)0; assert(buf[0] == 'x'))`, "assertion"},
		{"a file that is mapped", `static int f; static volatile char *m; A { pwrite(f, "a", 1, 0); return p; } B { y = m[0]; return p; } MAIN(f = memfd_create("m", 0); ftruncate(f, 10); m = mmap(0, 10, PROT_READ, MAP_SHARED, f, 0), assert(!y))`, "assertion"},
		{"room in a file", `static int f; A { posix_fallocate(f, 0, 10); return p; } B { y = lseek(f, 0, SEEK_END); return p; } MAIN(f = memfd_create("m", 0), assert(!y))`, "assertion"},
		{"a hole in a file", `static int f; A { fallocate(f, 3, 0, 1); return p; } B { pread(f, buf, 1, 0); return p; } MAIN(f = memfd_create("m", 0); write(f, "a", 1), assert(buf[0]))`, "assertion"},
		{"a hole in a file that is mapped", `static int f; static volatile char *m; A { fallocate(f, 3, 0, 4); return p; } B { y = m[0]; return p; } MAIN(f = memfd_create("m", 0); write(f, "a", 10); m = mmap(0, 10, PROT_READ, MAP_SHARED, f, 0), assert(y))`, "assertion"},
		{"another thread's name", `A { prctl(PR_SET_NAME, "one"); return p; } B { return p; } int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); pthread_setname_np(t, "two"); pthread_join(t, 0); }`, "verified"},
		// Memory.
		{"two maps of one place", `static char *m; A { x = mmap(m, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, -1, 0) == m; return p; } B { y = mmap(m, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, -1, 0) == m; return p; } MAIN(m = PAGE; munmap(m, 4096), assert(x + y == 1); assert(x))`, "assertion"},
		{"a map and an unmapping", `static char *m; A { x = mmap(m, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, -1, 0) == m; return p; } B { munmap(m, 4096); return p; } MAIN(m = PAGE, assert(!x))`, "assertion"},
		{"shared memory that one gives back", `static char *m; A { madvise(m, 4096, MADV_DONTNEED); return p; } B { *(volatile char *)m = 1; return p; } MAIN(m = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0), assert(*m))`, "verified"},
		{"private memory in its place", `static char *m; A { madvise(m, 4096, MADV_DONTNEED); return p; } B { mmap(m, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); *(volatile char *)m = 1; return p; } MAIN(m = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0), assert(*m))`, "assertion"},
		{"shared memory that one gives back and the other takes away", `static char *m; A { x = madvise(m, 4096, MADV_DONTNEED); return p; } B { munmap(m, 4096); return p; } MAIN(m = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0), assert(!x))`, "assertion"},
		{"two breaks", `static long base; A { syscall(SYS_brk, base + 8192); return p; } B { syscall(SYS_brk, base + 16384); return p; } MAIN(base = (syscall(SYS_brk, 0) + 4095) & ~4095; syscall(SYS_brk, base + 4096), assert(syscall(SYS_brk, 0) == base + 16384))`, "assertion"},
		{"a break and a look at it", `static long base; A { syscall(SYS_brk, base + 8192); return p; } B { y = syscall(SYS_brk, 0); return p; } MAIN(base = (syscall(SYS_brk, 0) + 4095) & ~4095; syscall(SYS_brk, base), assert(y == base))`, "assertion"},
		{"a write from pages that open", `static char *m; A { y = write(1, m, 1); return p; } B { mprotect(m, 4096, PROT_READ); return p; } MAIN(m = PAGE; mprotect(m, 4096, PROT_NONE), assert(y < 0))`, "assertion"},
		{"a read into pages that close", `static char *m; A { y = getrandom(m, 8, 0); return p; } B { mprotect(m, 4096, PROT_READ); return p; } MAIN(m = PAGE, assert(y == 8))`, "assertion"},
		{"a change of pages that another thread maps", `static char *m; A { y = mprotect(m, 4096, PROT_READ); return p; } B { mmap(m, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); return p; } MAIN(m = PAGE; munmap(m, 4096), assert(y < 0))`, "assertion"},
		{"a change of pages that another thread unmaps", `static char *m; A { y = mprotect(m, 4096, PROT_READ); return p; } B { munmap(m, 4096); return p; } MAIN(m = PAGE, assert(y == 0))`, "assertion"},
		{"a new map where another thread gives its pages back", `static char *m; A { y = mmap(m, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == m; return p; } B { munmap(m, 4096); return p; } MAIN(m = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), assert(!y))`, "assertion"},
		{"a map whose address another thread has before it opens", `static char *volatile m; A { char *q = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); m = q; mprotect(q, 4096, PROT_READ); return p; } B { if (m) y = write(1, m, 1); return p; } MAIN(, assert(y >= 0))`, "assertion"},
		{"a remapping and a write", `static char *m; A { y = write(1, m, 1); return p; } B { mremap(m, 4096, 8192, MREMAP_MAYMOVE); return p; } MAIN(m = PAGE, assert(y == 1))`, "assertion"},
		{"a map that grows and a map behind it", `static char *m; A { x = mremap(m, 4096, 8192, 0) == m; return p; } B { y = mmap(m + 4096, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, -1, 0) == m + 4096; return p; } MAIN(m = mmap(0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); munmap(m + 4096, 4096), assert(x))`, "assertion"},
		{"a map behind one that grows", `static char *m; A { x = mremap(m, 4096, 8192, 0) == m; return p; } B { y = mmap(m + 4096, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, -1, 0) == m + 4096; return p; } MAIN(m = mmap(0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); munmap(m + 4096, 4096), assert(y))`, "assertion"},
		{"a map that grows or a map behind it", `static char *m; A { x = mremap(m, 4096, 8192, 0) == m; return p; } B { y = mmap(m + 4096, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, -1, 0) == m + 4096; return p; } MAIN(m = mmap(0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); munmap(m + 4096, 4096), assert(x + y == 1))`, "verified"},
		{"a map that grows over pages that another unmaps", `static char *m; A { x = mremap(m, 4096, 8192, 0) == m; return p; } B { munmap(m + 4096, 4096); return p; } MAIN(m = mmap(0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), assert(!x))`, "assertion"},
		{"a map that grows and a write there", `static char *m; A { mremap(m, 4096, 8192, 0); return p; } B { y = getrandom(m + 4096, 8, 0); return p; } MAIN(m = mmap(0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); munmap(m + 4096, 4096), assert(y < 0))`, "assertion"},
		// Time: one clock.
		{"a join after a sleep", `static long now(void) { struct timespec s; clock_gettime(CLOCK_MONOTONIC, &s); return s.tv_sec * 1000000000 + s.tv_nsec; }
A { struct timespec d = {0, 100000000}; nanosleep(&d, 0); return p; } B { return p; } MAIN(long t0 = now(), assert(now() - t0 >= 100000000))`, "verified"},
		{"a post after a sleep", `static sem_t s; static long now(void) { struct timespec s; clock_gettime(CLOCK_REALTIME, &s); return s.tv_sec * 1000000000 + s.tv_nsec; }
A { usleep(1000); sem_post(&s); return p; } B { long t0 = y; sem_wait(&s); assert(now() - t0 >= 1000000); return p; } MAIN(sem_init(&s, 0, 0); y = now(), )`, "verified"},
		{"a flag after a sleep", `static _Atomic int f; static long now(void) { struct timespec s; clock_gettime(CLOCK_REALTIME, &s); return s.tv_sec * 1000000000 + s.tv_nsec; }
A { usleep(1000); f = 1; return p; } B { long t0 = y; if (f) assert(now() - t0 >= 1000000); return p; } MAIN(y = now(), )`, "verified"},
		{"a sleep and a look", `static long now(void) { struct timespec s; clock_gettime(CLOCK_REALTIME, &s); return s.tv_sec * 1000000000 + s.tv_nsec; }
A { usleep(1000); return p; } B { y = now(); return p; } MAIN(x = now(), assert(x == y))`, "assertion"},
	} {
		for _, cc := range libraries(i) {
			t.Run(c.name+" "+cc, func(t *testing.T) {
				t.Parallel()
				bin := compile.Text(t, cc, head+c.source)
				for _, search := range []string{"", "none"} {
					cfg := config.Default()
					cfg.Guest, cfg.Out, cfg.Time = bin, config.NoFile, 20*time.Second
					if search != "" {
						cfg.Search = search
					}
					r, err := Run(context.Background(), cfg, nil)
					if err != nil {
						t.Fatal(err)
					}
					got := string(r.Verdict)
					if r.Verdict == result.Buggy {
						got = string(r.Bug.Kind)
					}
					if got != c.want && !(search == "none" && r.Verdict == result.Budget && c.want == "verified") {
						t.Errorf("search %q: %s (%s), want %s", search, got, r.Reason, c.want)
					}
				}
			})
		}
	}
}
