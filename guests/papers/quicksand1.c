/* Blum and Gibson (OOPSLA 2016), Figure 1. The assertion fails only if the first thread is
 * preempted between its read and its write, and the second between its two additions. These are
 * two preemptions, at instructions that race. None of the spaces of Figure 2 (yield, lock,
 * unlock, both) has it. The paper's threads have the same lines; its atomic_xadd is gcc's. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;
static volatile int x;
static void *one(void *a)
{
	pthread_mutex_lock(&mx);
	int tmp = x;
	x = tmp + 1;
	pthread_mutex_unlock(&mx);
	return a;
}
static void *two(void *a)
{
	__sync_fetch_and_add(&x, 1);
	sched_yield();
	__sync_fetch_and_add(&x, 1);
	assert(x >= 2);
	return a;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
