/* Coons et al., Exception: a concurrent exception in a library that runs handlers on worker threads (CCR). N workers draw
 * K items from a counter; all report to one causality, which counts the workers that are left. The handler of the last
 * item fails and posts an exception. Workers that see one draw no more. The last worker to leave hands the exceptions
 * over, and none may be lost. Two faults, as in their Table 1: -DBAD, a worker leaves before it posts its exception;
 * -DLATE, the number of workers left is lowered by a load and a store. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif
#ifndef K
#define K 2
#endif
atomic_int left = N, next, failed;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int port, handed_over;
int leave(void)
{
#ifdef LATE
	int v = atomic_load(&left) - 1;
	atomic_store(&left, v);
	return v;
#else
	return atomic_fetch_sub(&left, 1) - 1;
#endif
}
void post(void)
{
	pthread_mutex_lock(&m);
	port++;
	pthread_mutex_unlock(&m);
	atomic_store(&failed, 1);
}
void hand_over(void)
{
	pthread_mutex_lock(&m);
	handed_over = port;
	pthread_mutex_unlock(&m);
}
void *worker(void *a)
{
	(void)a;
	int failing = 0;
	while (!failing && !atomic_load(&failed)) {
		int item = atomic_fetch_add(&next, 1);
		if (item >= K) break;
		failing = item == K - 1;
	}
#ifdef BAD
	int last = leave() == 0;
	if (failing) post();
#else
	if (failing) post();
	int last = leave() == 0;
#endif
	if (last) hand_over();
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < N; i++) pthread_join(t[i], 0);
	assert(handed_over == 1);
	return 0;
}
