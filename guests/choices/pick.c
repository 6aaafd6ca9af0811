/* Each of two threads adds one of 1, 2, 3, and the same isn't added twice: the sum is 3, 4 or 5. It is wrong that it
 * can't be 5. FIXED: that it can't be 6. */
#include <assert.h>
#include <pthread.h>
#include "../landgo-linux.h"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int sum, last;

static void *add(void *a)
{
	int n = 1 + landgo_choice(3);
	pthread_mutex_lock(&m);
	landgo_assume(n != last);
	last = n;
	sum += n;
	pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, add, 0);
	pthread_create(&u, 0, add, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
#ifdef FIXED
	assert(sum != 6);
#else
	assert(sum != 5);
#endif
	return 0;
}
