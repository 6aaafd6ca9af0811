/* The thesis's lazy: two threads add to a counter and a third looks at it, each in one critical section: six orders, as
 * in its table. -DBAD: the third insists on not having seen both, which fails where it comes last. */
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int data;
void *one(void *a) { (void)a; pthread_mutex_lock(&m); data += 1; pthread_mutex_unlock(&m); return 0; }
void *two(void *a) { (void)a; pthread_mutex_lock(&m); data += 2; pthread_mutex_unlock(&m); return 0; }
void *look(void *a)
{
	(void)a;
	pthread_mutex_lock(&m);
#ifdef BAD
	assert(data < 3);
#else
	assert(data <= 3);
#endif
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, one, 0);
	pthread_create(&t[1], 0, two, 0);
	pthread_create(&t[2], 0, look, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	return 0;
}
