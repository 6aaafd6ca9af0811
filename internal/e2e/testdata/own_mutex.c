/* A mutex of the program's own under the library's names, which two threads can take at once; -DFIXED takes it by one
   instruction. */
#include <assert.h>
#include <pthread.h>

int pthread_mutex_lock(pthread_mutex_t *m)
{
	volatile int *word = (volatile int *)m;
#ifdef FIXED
	while (__atomic_exchange_n(word, 1, __ATOMIC_SEQ_CST))
		;
#else
	while (*word)
		;
	*word = 1;
#endif
	return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
	__atomic_store_n((volatile int *)m, 0, __ATOMIC_SEQ_CST);
	return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int inside;

static void *visit(void *arg)
{
	pthread_mutex_lock(&lock);
	assert(inside == 0);
	inside = 1;
	inside = 0;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, visit, 0);
	pthread_create(&u, 0, visit, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
