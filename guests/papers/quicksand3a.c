/* Blum and Gibson (OOPSLA 2016), Figure 3(a): a race of x that limited happens-before has in each execution, and pure
 * happens-before only where the second thread has the lock first. It is true, and nothing fails. */
#include <pthread.h>
static pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;
static volatile int x;
static void *one(void *a)
{
	x++;
	pthread_mutex_lock(&mx);
	pthread_mutex_unlock(&mx);
	return a;
}
static void *two(void *a)
{
	pthread_mutex_lock(&mx);
	pthread_mutex_unlock(&mx);
	x++;
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
