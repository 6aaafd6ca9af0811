/* ROUNDER, ttas-lock3: three threads enter K sections each under the lock of ttas_lock.c. The paper gives no size beside
 * the 3; that it counts the threads is our reading. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef K
#define K 2
#endif
#define THREADS 3
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
	for (int i = 0; i < K; i++) {
		lock();
		entered++;
		unlock();
	}
	return 0;
}
int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++) pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < THREADS; i++) pthread_join(t[i], 0);
	assert(entered == THREADS * K);
	return 0;
}
