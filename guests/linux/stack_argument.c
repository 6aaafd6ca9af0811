/* Each worker gets a pointer to main's loop variable, which has moved on when it looks. No preemption: main goes on
 * until it joins. FIXED: a place of its own for each, still on main's stack. */
#include <assert.h>
#include <pthread.h>

volatile int sum;

static void *worker(void *a)
{
	int id = *(volatile int *)a;
	assert(id < 2);
	__atomic_fetch_add(&sum, id, __ATOMIC_SEQ_CST);
	return 0;
}

int main(void)
{
	pthread_t t[2];
	volatile int place[3] = {0, 1, 2}, i;
	for (i = 0; i < 2; i++)
#ifdef FIXED
		pthread_create(&t[i], 0, worker, (void *)&place[i]);
#else
		pthread_create(&t[i], 0, worker, (void *)&i);
#endif
	(void)place;
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
