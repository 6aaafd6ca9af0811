/* ROUNDER, ttas-lock2(N): the lock of ttas_lock.c, for which the threads try once and don't wait. A try is a read
 * and, if the lock looks free, an exchange. The thread that gets the lock enters and leaves. The paper doesn't say
 * what its 2 stands for; without the unbounded wait all three kinds of read-modify-write outcomes are left. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 4
#endif
atomic_int taken, inside;
void *run(void *a)
{
	(void)a;
	if (atomic_load(&taken) || atomic_exchange(&taken, 1)) return 0;
	atomic_store(&inside, atomic_load(&inside) + 1);
	assert(atomic_load(&inside) == 1);
	atomic_store(&inside, 0);
	atomic_store(&taken, 0);
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < N; i++) pthread_join(t[i], 0);
	return 0;
}
