/* A thread lends a variable of its stack and ends when it is told that it was seen: but it is told before it is read. One
   preemption, in the reader, between the two. FIXED: it is read first. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

int *volatile shared;
volatile int entered;
sem_t ready, seen;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(void)
{
	pthread_mutex_lock(&lock);
	entered = entered + 1;
	pthread_mutex_unlock(&lock);
}

static void *lender(void *arg)
{
	volatile int mine = 1;
	enter();
	shared = (int *)&mine;
	sem_post(&ready);
	sem_wait(&seen);
	return arg;
}

static void *reader(void *arg)
{
	enter();
	sem_wait(&ready);
	volatile int *p = shared;
#ifdef FIXED
	int v = *p;
	sem_post(&seen);
#else
	sem_post(&seen);
	int v = *p;
#endif
	assert(v == 1);
	return arg;
}

int main(void)
{
	sem_init(&ready, 0, 0);
	sem_init(&seen, 0, 0);
	pthread_t t, u;
	pthread_create(&t, 0, lender, 0);
	pthread_create(&u, 0, reader, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
