// A program with a lock and a panic of its own, whose meaning only a profile
// (guests/profile/guards.yaml) says. Both threads see that there is enough, and both take.
// The cure: to look and to take in one critical section (FIXED).
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { atomic_int held; } guard;

static guard account;
static volatile int balance = 10;

__attribute__((noinline)) static void guard_enter(int why, guard *g)
{
	(void)why;
	while (atomic_exchange(&g->held, 1))
		sched_yield();
}

__attribute__((noinline)) static void guard_leave(guard *g) { atomic_store(&g->held, 0); }

__attribute__((noinline)) void die(int status, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	exit(status);
}

__attribute__((noinline)) static int look(void)
{
	guard_enter(1, &account);
	int b = balance;
#ifndef FIXED
	guard_leave(&account);
#endif
	return b;
}

static void *take(void *arg)
{
	(void)arg;
	if (look() >= 10) {
#ifndef FIXED
		guard_enter(2, &account);
#endif
		balance -= 10;
		if (balance < 0)
			die(3, "overdrawn by %d", -balance);
#ifndef FIXED
		guard_leave(&account);
#endif
	}
#ifdef FIXED
	guard_leave(&account);
#endif
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, take, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
