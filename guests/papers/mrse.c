/* Coons et al., MRSE: a manual reset event, which stays set until it is reset. It has a fast path that takes no lock, as in
 * the test of the .NET libraries. One thread sets it, N wait for it. Setting looks at the number of waiters to spare itself
 * the lock. -DBAD, a deadlock as in their Table 1: a waiter looks once more before it counts itself, and not after. */
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif
atomic_int is_set, waiters;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
void *set(void *a)
{
	(void)a;
	atomic_store(&is_set, 1);
	if (atomic_load(&waiters) == 0) return 0;
	pthread_mutex_lock(&m);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&m);
	return 0;
}
void *wait_for_it(void *a)
{
	(void)a;
	if (atomic_load(&is_set)) return 0;
	pthread_mutex_lock(&m);
#ifdef BAD
	if (!atomic_load(&is_set)) {
		atomic_fetch_add(&waiters, 1);
		pthread_cond_wait(&changed, &m);
		atomic_fetch_sub(&waiters, 1);
	}
#else
	atomic_fetch_add(&waiters, 1);
	while (!atomic_load(&is_set)) pthread_cond_wait(&changed, &m);
	atomic_fetch_sub(&waiters, 1);
#endif
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t[N + 1];
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, wait_for_it, 0);
	pthread_create(&t[N], 0, set, 0);
	for (int i = 0; i <= N; i++) pthread_join(t[i], 0);
	return 0;
}
