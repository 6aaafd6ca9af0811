/* The thesis's RCU, much smaller: a tree of one node. N readers look at x and then at y, each in a read-side section and on
 * a CPU of its own. An updater, on CPU 0, sets x, waits for a grace period, and sets y. A third kind of thread carries out
 * the grace period: it is over when every CPU that wasn't idle at its start has reported a quiescent state. So no reader
 * sees x old and y new.
 * -DF1 to -DF6 change something, as the thesis's forced failures do (it doesn't describe them). All but F5 are faults. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#ifndef N
#define N 1
#endif
#define CPU(i) (1 << (i))
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int x, y;
#ifndef F2
static int wanted;
#endif
static int done, waits_for, idle, stale;
static void report(int cpu, int goes)
{
	pthread_mutex_lock(&lock);
	waits_for &= ~CPU(cpu);
	stale |= CPU(cpu);
	if (goes) idle |= CPU(cpu);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}
static void *reader(void *a)
{
	int cpu = (int)(intptr_t)a;
#ifdef F4
	report(cpu, 0); /* before the section; the grace period takes it for one after its start */
#endif
	int rx = x;
#ifdef F1
	report(cpu, 0); /* in the middle of the section */
#endif
#ifdef F6
	report(cpu, 1); /* the section ends too early */
	int ry = y;
#else
	int ry = y;
#ifdef F5
	report(cpu, 0); /* once more than need be, which does no harm */
#endif
	report(cpu, 1);
#endif
	assert(rx || !ry);
	return 0;
}
static void *updater(void *a)
{
	(void)a;
	x = 1;
#ifndef F2 /* that one doesn't wait */
	pthread_mutex_lock(&lock);
	wanted = 1;
	idle |= CPU(0);
	pthread_cond_broadcast(&changed);
	while (!done) pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
#endif
	y = 1;
	return 0;
}
static void *grace_period(void *a)
{
	(void)a;
	pthread_mutex_lock(&lock);
#ifndef F2
	while (!wanted) pthread_cond_wait(&changed, &lock);
#endif
	waits_for = (CPU(N + 1) - 1) & ~idle;
#ifdef F3
	waits_for &= ~CPU(1); /* the first reader's CPU is forgotten */
#endif
#ifdef F4
	waits_for &= ~stale;
#endif
	while (waits_for & ~CPU(0)) pthread_cond_wait(&changed, &lock);
	done = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return 0;
}
int main(void)
{
	pthread_t t[N + 2];
	pthread_create(&t[0], 0, updater, 0);
	pthread_create(&t[1], 0, grace_period, 0);
	for (int i = 1; i <= N; i++) pthread_create(&t[i + 1], 0, reader, (void *)(intptr_t)i);
	for (int i = 0; i < N + 2; i++) pthread_join(t[i], 0);
	return 0;
}
