/* Coons et al., Matrix: N threads multiply matrices in two phases, a row each, with a barrier of their own between the
 * phases, at which they spin and yield. Faults as in their Table 1. -DEARLY (assertion): the barrier opens when the
 * last but one comes. -DCOUNT (livelock): arrivals are counted by a load and a store. -DSENSE (livelock): the last one
 * opens the barrier before it sets the count back. So a fast thread may be counted for the next phase and forgotten. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#ifndef N
#define N 2
#endif
#ifdef SENSE
#define PHASES 3
#else
#define PHASES 2
#endif
atomic_int m[PHASES + 1][N];
atomic_int arrived, phase;
#ifdef EARLY
#define LAST (N - 1)
#else
#define LAST N
#endif
static void barrier(int p)
{
#ifdef COUNT
	int n = atomic_load(&arrived) + 1;
	atomic_store(&arrived, n);
#else
	int n = atomic_fetch_add(&arrived, 1) + 1;
#endif
	if (n == LAST) {
#ifdef SENSE
		atomic_store(&phase, p + 1);
		atomic_store(&arrived, 0);
#else
		atomic_store(&arrived, 0);
		atomic_store(&phase, p + 1);
#endif
	}
	while (atomic_load(&phase) == p) sched_yield();
}
void *multiply(void *a)
{
	int me = (int)(intptr_t)a, sum = 0;
	for (int p = 0; p < PHASES; p++) {
		int v = 0;
		for (int i = 0; i < N; i++) v += (i + 1) * atomic_load(&m[p][i]);
		sum = p == 0 ? N * (N + 1) * (2 * N + 1) / 6 : sum * N * (N + 1) / 2;
		assert(v == sum);
		atomic_store(&m[p + 1][me], v);
		if (p + 1 < PHASES) barrier(p);
	}
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) m[0][i] = i + 1;
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, multiply, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++) pthread_join(t[i], 0);
	return 0;
}
