/* The depth of a recursion is without limit for a moment. One preemption, of the writer. Frames are small, so that
 * none steps over a guard page. FIXED: the limit goes straight to its new value. */
#include <pthread.h>

volatile unsigned limit = 2;
volatile unsigned reached;

static unsigned descend(unsigned depth)
{
	volatile char frame[1024];
	frame[0] = (char)depth;
	if (depth == 0)
		return 0;
	return descend(depth - 1) + 1 + (unsigned char)(frame[0] - (char)depth);
}

static void *writer(void *a)
{
#ifndef FIXED
	limit = ~0u;
#endif
	limit = 3;
	return a;
}

static void *walker(void *a)
{
	reached = descend(limit);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, writer, 0);
	pthread_create(&u, 0, walker, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
