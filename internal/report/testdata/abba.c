#include <pthread.h>

pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
	pthread_mutex_lock(&A);
	pthread_mutex_lock(&B);
	pthread_mutex_unlock(&B);
	pthread_mutex_unlock(&A);
	return arg;
}

static void *two(void *arg)
{
	pthread_mutex_lock(&B);
	pthread_mutex_lock(&A);
	pthread_mutex_unlock(&A);
	pthread_mutex_unlock(&B);
	return arg;
}
