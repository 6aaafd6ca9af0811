/* Blum and Gibson (OOPSLA 2016), Figure 3(b): what limited happens-before takes for a race of x is none. The second
 * thread touches x only after it has seen what the first did before, so the two can't be reordered. */
#include <pthread.h>
static pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;
static volatile int x, y;
static void *one(void *a)
{
	x++;
	pthread_mutex_lock(&mx);
	y = 1;
	pthread_mutex_unlock(&mx);
	return a;
}
static void *two(void *a)
{
	pthread_mutex_lock(&mx);
	int tmp = y;
	pthread_mutex_unlock(&mx);
	if (tmp) x++;
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
