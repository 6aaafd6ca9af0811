/* Coons et al., RegOwn: regions of memory have an owner. A thread takes a region before it writes to it, and gives it
 * back. While another thread owns the region, it backs off with a yield. A write by another thread than the owner is an
 * exception. Two threads take the K regions in turn. -DBAD: the owner is looked at and set in two steps. While it waits
 * a thread counts its attempts where others see them, so the state space is cyclic, and a fair bound is needed. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#ifndef N
#define N 2
#endif
#ifndef K
#define K 1
#endif
atomic_int owner[K], attempts[K];
int contents[K];
static int take(int r, int me)
{
#ifdef BAD
	if (atomic_load(&owner[r]) != 0) return 0;
	atomic_store(&owner[r], me);
	return 1;
#else
	int none = 0;
	return atomic_compare_exchange_strong(&owner[r], &none, me);
#endif
}
void *run(void *a)
{
	int me = (int)(intptr_t)a;
	for (int r = 0; r < K; r++) {
		while (!take(r, me)) {
			atomic_fetch_add(&attempts[r], 1);
			sched_yield();
		}
		if (atomic_load(&owner[r]) != me) abort();
		contents[r] += me;
		atomic_store(&owner[r], 0);
	}
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, run, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < N; i++) pthread_join(t[i], 0);
	return 0;
}
