/* timed waits that run out, and one that doesn't */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;
static sem_t ready;

static struct timespec in(long ms)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void *child(void *arg)
{
	struct timespec t = in(20);
	struct timespec past = {1, 0};
	printf("%d\n", pthread_mutex_timedlock(&held, &t) == ETIMEDOUT);
	printf("%d\n", pthread_mutex_timedlock(&held, &past) == ETIMEDOUT);
	pthread_mutex_lock(&m);
	t = in(20);
	printf("%d\n", pthread_cond_timedwait(&c, &m, &t) == ETIMEDOUT);
	pthread_mutex_unlock(&m);
	t = in(20);
	printf("%d\n", sem_timedwait(&s, &t) == -1 && errno == ETIMEDOUT);
	t = in(20);
	printf("%d\n", pthread_rwlock_timedrdlock(&l, &t) == ETIMEDOUT);
	t = in(100000);
	sem_post(&ready);
	printf("%d\n", sem_timedwait(&s, &t));
	return NULL;
}

int main(void)
{
	pthread_t t;
	struct timespec a, b;
	sem_init(&s, 0, 0);
	sem_init(&ready, 0, 0);
	pthread_mutex_lock(&held);
	pthread_rwlock_wrlock(&l);
	clock_gettime(CLOCK_MONOTONIC, &a);
	pthread_create(&t, NULL, child, NULL);
	sem_wait(&ready);
	sem_post(&s);
	pthread_join(t, NULL);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%d\n", b.tv_sec > a.tv_sec || b.tv_nsec - a.tv_nsec >= 80000000);
	return 0;
}
