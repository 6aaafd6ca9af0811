// What a process says of itself is answered later: prctl, affinity, nice, limits; devices.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SAY(x) printf("%s: %ld\n", #x, (long)(x))

static void processors(const char *what, pid_t t)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	long r = sched_getaffinity(t, sizeof set, &set);
	printf("%s: %d %d\n", what, r < 0, CPU_COUNT(&set) == 1);
}

static int deep(int n)
{
	volatile char b[1 << 20];
	b[0] = n, b[sizeof b - 1] = 1;
	return n ? b[sizeof b - 1] + deep(n - 1) : b[0];
}

static void *child(void *a)
{
	SAY(prctl(PR_GET_TIMERSLACK));
	SAY(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	SAY(getpriority(PRIO_PROCESS, 0));
	processors("a child's", 0);
	SAY(setpriority(PRIO_PROCESS, 0, 9));
	SAY(prctl(PR_SET_TIMERSLACK, 5000));
	SAY(prctl(PR_GET_TIMERSLACK));
	SAY(prctl(PR_SET_TIMERSLACK, 0));
	SAY(prctl(PR_GET_TIMERSLACK));
	return a;
}

int main(void)
{
	int sig = 77;
	SAY(prctl(PR_GET_DUMPABLE));
	SAY(prctl(PR_SET_DUMPABLE, 0));
	SAY(prctl(PR_GET_DUMPABLE));
	SAY(prctl(PR_SET_DUMPABLE, 7));
	SAY(prctl(PR_SET_PDEATHSIG, SIGTERM));
	SAY(prctl(PR_GET_PDEATHSIG, &sig));
	SAY(sig);
	SAY(prctl(PR_SET_PDEATHSIG, 900));
	SAY(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
	SAY(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	SAY(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	SAY(prctl(PR_SET_TIMERSLACK, 1234));
	SAY(prctl(PR_GET_TIMERSLACK));

	SAY(setpriority(PRIO_PROCESS, 0, 3));
	SAY(getpriority(PRIO_PROCESS, 0));
	SAY(getpriority(PRIO_PROCESS, 1 << 29));
	SAY(setpriority(9, 0, 3));

	cpu_set_t one;
	unsigned cpu = 99;
	CPU_ZERO(&one);
	CPU_SET(1, &one);
	if (sched_setaffinity(0, sizeof one, &one) < 0) { // a machine of one processor
		CPU_ZERO(&one);
		CPU_SET(0, &one);
		sched_setaffinity(0, sizeof one, &one);
	}
	processors("pinned", 0);
	SAY(syscall(SYS_getcpu, &cpu, 0, 0));
	SAY(CPU_ISSET(cpu, &one) != 0);
	processors("of none", 1 << 29);
	CPU_ZERO(&one);
	SAY(sched_setaffinity(0, sizeof one, &one));
	pthread_t t;
	pthread_create(&t, 0, child, 0);
	pthread_join(t, 0);
	SAY(getpriority(PRIO_PROCESS, 0));

	struct rlimit l, core;
	SAY(getrlimit(RLIMIT_CORE, &core));
	core.rlim_cur = 0;
	SAY(setrlimit(RLIMIT_CORE, &core));
	SAY(getrlimit(RLIMIT_NOFILE, &l));
	rlim_t most = l.rlim_cur;
	l.rlim_cur = 5;
	SAY(setrlimit(RLIMIT_NOFILE, &l));
	SAY(getrlimit(RLIMIT_NOFILE, &l));
	SAY(l.rlim_cur);
	SAY(dup(1));
	SAY(dup(1));
	SAY(dup(1));
	SAY(errno == EMFILE);
	SAY(dup2(1, 7));
	SAY(errno == EBADF);
	SAY(fcntl(1, F_DUPFD, 6));
	SAY(errno == EINVAL);
	l.rlim_cur = most;
	SAY(setrlimit(RLIMIT_NOFILE, &l));
	SAY(dup(1));
	l.rlim_cur = 6, l.rlim_max = 5;
	SAY(setrlimit(RLIMIT_NOFILE, &l));
	SAY(errno == EINVAL);
	SAY(syscall(SYS_prlimit64, 0, 99, 0, 0));
	SAY(errno == EINVAL);
	SAY(syscall(SYS_setrlimit, RLIMIT_CORE, 0));
	SAY(errno == EFAULT);
	SAY(syscall(SYS_prlimit64, 1 << 29, RLIMIT_CORE, 0, &l));
	SAY(errno == ESRCH);

	SAY(getrlimit(RLIMIT_STACK, &l));
	l.rlim_cur = 64 << 20;
	SAY(setrlimit(RLIMIT_STACK, &l));
	SAY(deep(40));

	char b[64] = "abc";
	int zero = open("/dev/zero", O_RDWR), full = open("/dev/full", O_WRONLY), some = open("/dev/urandom", O_RDONLY);
	SAY(read(zero, b, 3));
	SAY(b[0] + b[1] + b[2]);
	SAY(write(zero, b, 9));
	SAY(lseek(zero, 5, SEEK_SET));
	SAY(write(full, b, 1));
	SAY(errno == ENOSPC);
	memset(b, 0, sizeof b);
	SAY(read(some, b, sizeof b));
	SAY(!memcmp(b, b + 32, 32));
	return 0;
}
