/* Memory that goes from one thread to another through the allocator, and a race that looks the same. A thread uses a
 * block and gives it back; the next block has its memory, and another thread is handed that one. Between the two blocks
 * nothing races. The counter beside them, race on uses, does. No preemption, and nothing fails: only --fail-on race
 * makes a bug of it. FIXED: the counter is atomic. (Blum and Gibson, OOPSLA 2016, Figure 5.) */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIXED
atomic_int uses;
#else
volatile int uses;
#endif
int *volatile handed;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *giver(void *a)
{
	volatile int *x = malloc(sizeof *x);
	*x = 1;
	free((void *)x);
	volatile int *y = malloc(sizeof *y);
	*y = 2;
	pthread_mutex_lock(&m);
	handed = (int *)y;
	pthread_mutex_unlock(&m);
	uses = 1;
	return a;
}

static void *taker(void *a)
{
	pthread_mutex_lock(&m);
	int *y = handed;
	pthread_mutex_unlock(&m);
	if (y)
		*(volatile int *)y = 3;
	(void)uses;
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, giver, 0);
	pthread_create(&u, 0, taker, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	free(handed);
	return 0;
}
