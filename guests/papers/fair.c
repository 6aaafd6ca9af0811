/* Coons et al., Fair: the smallest program with a cyclic state space. N threads wait for a flag, yielding between two
 * looks; one thread sets it. What they count while they wait can be seen by others, so that a wait is no exact spin, and
 * the space has a bound only under a fair bound. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#ifndef N
#define N 1
#endif
atomic_int flag, polls;
void *waiter(void *a)
{
	(void)a;
	while (!atomic_load(&flag)) {
		atomic_fetch_add(&polls, 1);
		sched_yield();
	}
	return 0;
}
void *setter(void *a)
{
	(void)a;
	atomic_store(&flag, 1);
	return 0;
}
int main(void)
{
	pthread_t t[N + 1];
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, waiter, 0);
	pthread_create(&t[N], 0, setter, 0);
	for (int i = 0; i <= N; i++) pthread_join(t[i], 0);
	return 0;
}
