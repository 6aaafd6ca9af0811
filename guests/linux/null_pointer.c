/* A pointer is checked and then read again for its use; in between it became null. One preemption.
 * FIXED: read once. */
#include <pthread.h>

int cell = 7;
int *volatile p = &cell;
volatile int seen;

static void *clearer(void *a)
{
	p = 0;
	return a;
}

static void *user(void *a)
{
#ifdef FIXED
	int *q = p;
	if (q)
		seen = *q;
#else
	if (p)
		seen = *p;
#endif
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, clearer, 0);
	pthread_create(&u, 0, user, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
