/* A divisor that is zero for a moment. One preemption, of the writer. FIXED: it goes straight to its new value. */
#include <pthread.h>

volatile int divisor = 1, quotient;

static void *writer(void *a)
{
#ifndef FIXED
	divisor = 0;
#endif
	divisor = 2;
	return a;
}

static void *divider(void *a)
{
	quotient = 100 / divisor;
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, writer, 0);
	pthread_create(&u, 0, divider, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
