/* ROUNDER, ttas-lock(N): N threads enter one section each under a test-and-test-and-set lock: they read until the lock
 * looks free, and then exchange. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
atomic_int taken;
int entered;
static void lock(void)
{
	do
		while (atomic_load(&taken)) ;
	while (atomic_exchange(&taken, 1));
}
static void unlock(void) { atomic_store(&taken, 0); }
void *run(void *a)
{
	(void)a;
	lock();
	entered++;
	unlock();
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < N; i++) pthread_join(t[i], 0);
	assert(entered == N);
	return 0;
}
