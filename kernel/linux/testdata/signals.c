/* handlers by raise, pthread_kill and a fault; masks; alternative stack */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t seen, on_stack;
static char stack[32768];
static sigjmp_buf back;

static void handler(int sig)
{
	char here;
	seen++;
	on_stack = &here > stack && &here < stack + sizeof stack;
	memset(&here, 0, 1);
}

static void informed(int sig, siginfo_t *info, void *context)
{
	seen += info->si_signo == sig && info->si_pid == getpid();
}

static void fault(int sig, siginfo_t *info, void *context)
{
	siglongjmp(back, info->si_addr == (void *)16 ? 2 : 1);
}

static volatile int ready;

static void *child(void *arg)
{
	ready = 1;
	while (!seen)
		;
	return NULL;
}

static void *blocks(void *arg)
{
	sigset_t set;
	int sig;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigwait(&set, &sig);
	return (void *)(long)sig;
}

int main(void)
{
	struct sigaction a = {.sa_handler = handler};
	stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
	sigset_t set, old;
	pthread_t t;
	void *r;
	double x = 1.5;

	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1);
	printf("%d %d\n", seen, on_stack);

	sigaltstack(&s, NULL);
	a.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1);
	printf("%d %d %g\n", seen, on_stack, x);

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	raise(SIGUSR1);
	printf("%d ", seen);
	sigpending(&set);
	printf("%d ", sigismember(&set, SIGUSR1));
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	printf("%d\n", seen);

	a.sa_sigaction = informed;
	a.sa_flags = SA_SIGINFO | SA_RESETHAND;
	sigaction(SIGUSR1, &a, NULL);
	kill(getpid(), SIGUSR1);
	sigaction(SIGUSR1, NULL, &a);
	printf("%d %d\n", seen, a.sa_handler == SIG_DFL);

	seen = 0;
	a.sa_handler = handler;
	a.sa_flags = 0;
	sigaction(SIGUSR1, &a, NULL);
	pthread_create(&t, NULL, child, NULL);
	while (!ready)
		;
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	printf("%d\n", seen);

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, blocks, NULL);
	usleep(10000);
	pthread_kill(t, SIGUSR2);
	pthread_join(t, &r);
	printf("%d\n", (long)r == SIGUSR2);

	a.sa_sigaction = fault;
	a.sa_flags = SA_SIGINFO;
	sigaction(SIGSEGV, &a, NULL);
	if (!sigsetjmp(back, 1))
		*(volatile int *)16 = 1;
	else
		printf("caught\n");
	signal(SIGTERM, SIG_IGN);
	raise(SIGTERM);
	fflush(stdout);
	raise(SIGINT);
	return 0;
}
