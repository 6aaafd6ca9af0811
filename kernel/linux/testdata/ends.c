// The ends of what a program has: buffers that lie across the end of memory, addresses that are none,
// what the processor says of its segments, and what files are.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define SAY(x) say(#x, (errno = 0, (long)(x)))

static void say(const char *what, long value) { printf("%s: %ld, %d\n", what, value, errno); }

static char *pages(int n) { return mmap(0, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

static char b[64], *end; // four bytes before it can be accessed, and none from it on
static struct iovec vec[2];

static void fresh(const char *bytes)
{
	memset(b, '-', sizeof b);
	memcpy(end - 4, bytes, 4);
	vec[0] = (struct iovec){b, 4};
	vec[1] = (struct iovec){end - 2, 6};
}

static void show(void) { printf("%.16s %.4s\n", b, end - 4); }

// What is still there for a reader.
static void rest(int fd)
{
	memset(b, '-', sizeof b);
	SAY(read(fd, b, sizeof b - 1));
	show();
}

static void stream(int from, int to)
{
	fresh("....");
	SAY(write(to, "abcdefghij", 10));
	SAY(read(from, end - 4, 10));
	show();
	rest(from);
	fresh("....");
	SAY(write(to, "abcdefghij", 10));
	SAY(readv(from, vec, 2));
	show();
	rest(from);
	fresh("wxyz");
	SAY(write(to, end - 4, 10));
	SAY(writev(to, vec, 2));
	rest(from);
}

static void pipes(void)
{
	char *m = pages(4), *all = malloc(1 << 16);
	int p[2], s[2];
	SAY(pipe2(p, O_NONBLOCK));
	stream(p[0], p[1]);
	SAY(munmap(m + 2 * PAGE, PAGE));
	SAY(write(p[1], m + PAGE / 2, 3 * PAGE)); // whole pages only
	SAY(read(p[0], all, 1 << 16));
	SAY(write(p[1], m, PAGE) + write(p[1], m, 100));
	SAY(read(p[0], m + PAGE - 50, 2 * PAGE)); // and of two parts one
	SAY(read(p[0], all, 1 << 16));
	for (int i = 0; i < 2; i++) {
		SAY(socketpair(AF_UNIX, (i ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK, 0, s));
		stream(s[0], s[1]);
	}
	int e = eventfd(5, EFD_NONBLOCK);
	fresh("....");
	SAY(write(e, end - 4, 8));
	SAY(read(e, end - 4, 8));
	SAY(end[-4]);
	SAY(read(e, b, 8));
	SAY(close(p[0]));
	signal(SIGPIPE, SIG_IGN);
	SAY(write(p[1], end, 8));
}

static void files(void)
{
	int f = open("f", O_CREAT | O_RDWR, 0664), zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_RDWR);
	fresh("wxyz");
	SAY(write(f, "0123456789", 10));
	SAY(write(f, end - 4, 10));
	SAY(write(f, end, 10));
	SAY(lseek(f, 0, SEEK_CUR));
	SAY(pread(f, end - 4, 10, 1));
	show();
	SAY(lseek(f, 0, SEEK_SET));
	SAY(read(f, end - 4, 10));
	show();
	SAY(read(f, end, 10));
	SAY(readv(f, vec, 2));
	show();
	SAY(lseek(f, 0, SEEK_CUR));
	SAY(writev(f, vec, 2));
	SAY(lseek(f, 0, SEEK_CUR));
	SAY(read(zero, end - 4, 10));
	SAY(read(zero, end, 10));
	SAY(write(null, end, 10));
	SAY(syscall(SYS_getrandom, end - 4, 10, 0));
	SAY(syscall(SYS_getrandom, end, 10, 0));
}

static void look(const char *what, const struct stat *s)
{
	printf("%s: %o, %ld bytes, %ld blocks of %ld, %ld names, %#lx\n", what, s->st_mode, (long)s->st_size,
	       (long)s->st_blocks, (long)s->st_blksize, (long)s->st_nlink, (long)s->st_rdev);
}

static void stats(void)
{
	int p[2], fd[] = {
		open("a", O_CREAT | O_RDWR, 0666), open("b", O_CREAT | O_RDWR, 0400), memfd_create("m", 0),
		open("/dev/zero", O_RDONLY), open("/dev/urandom", O_RDONLY),
	};
	struct stat s;
	SAY(write(fd[0], "abc", 3));
	SAY(pipe(p));
	for (int i = 0; i < 5; i++, look("descriptor", &s))
		SAY(fstat(fd[i], &s));
	SAY(fstat(p[0], &s));
	look("pipe", &s);
	umask(077);
	SAY(mkdir("d", 0755));
	SAY(stat("d", &s));
	printf("%o\n", s.st_mode);
	SAY(unlink("b"));
	SAY(fstat(fd[1], &s));
	look("without a name", &s);
	struct timespec fine = {0}, coarse = {0};
	SAY(clock_getres(CLOCK_MONOTONIC, &fine));
	SAY(clock_getres(CLOCK_MONOTONIC_COARSE, &coarse));
	printf("%ld, %d\n", fine.tv_nsec, coarse.tv_nsec >= 1000000 && coarse.tv_nsec <= 10000000);
}

static sigjmp_buf back;

static void caught(int sig, siginfo_t *i, void *c)
{
	long *r = (long *)((ucontext_t *)c)->uc_mcontext.gregs;
	printf("signal %d, code %d, address %d, exception %ld, error %ld\n", sig, i->si_code, i->si_addr != 0, r[20], r[19]);
	siglongjmp(back, 1);
}

#define TRY(code) do { if (!sigsetjmp(back, 1)) { printf(code ": "); asm volatile(code :: "a"(none), "c"(sp) : "memory"); } } while (0)

static void processor(void)
{
	static char stack[1 << 16];
	unsigned cs, ss, ds;
	long none = 1L << 63, sp = (long)(stack + sizeof stack / 2);
	stack_t alternative = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
	struct sigaction a = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
	asm("mov %%cs, %0; mov %%ss, %1; mov %%ds, %2" : "=r"(cs), "=r"(ss), "=r"(ds));
	printf("%#x %#x %#x\n", cs, ss, ds);
	sigaltstack(&alternative, 0);
	sigaction(SIGSEGV, &a, 0);
	sigaction(SIGBUS, &a, 0);
	sigaction(SIGTRAP, &a, 0);
	TRY("mov (%%rax), %%edx");
	TRY("mov %%rax, %%rsp; push %%rdx");
	TRY("mov %%rax, %%rsp; pop %%rdx");
	TRY("mov %%rax, %%rsp; mov %%edx, 8(%%rsp)");
	TRY("mov %%rax, %%rsp; ret");
	TRY("mov %%rcx, %%rsp; push (%%rax)");
	TRY("mov %%rcx, %%rsp; mov %%rax, %%rbp; addl $1, 8(%%rbp)");
	TRY("mov %%rcx, %%rsp; mov %%rax, %%rbp; leave");
	TRY("mov %%rcx, %%rsp; mov %%rax, %%rbp; mov %%fs:(%%rbp), %%edx");
	TRY("mov %%rcx, %%rsp; mov %%rax, %%rbp; mov (%%rcx,%%rbp), %%edx");
	TRY("int3");
	TRY(".byte 0xf1");
	SAY(munmap(0, PAGE));
	SAY(munmap((void *)PAGE, PAGE));
	SAY(mprotect(0, PAGE, PROT_READ));
	SAY(munmap((void *)(1L << 47), PAGE));
	SAY(munmap((void *)((1L << 47) - PAGE), PAGE));
	SAY(munmap((void *)((1L << 47) - 2 * PAGE), PAGE));
}

int main(void)
{
	char *m = pages(2);
	end = m + PAGE;
	SAY(munmap(end, PAGE));
	umask(022);
	pipes();
	files();
	stats();
	processor();
	fflush(stdout);
	return 0;
}
