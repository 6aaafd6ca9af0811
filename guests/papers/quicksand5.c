/* Blum and Gibson (OOPSLA 2016), Figure 5: a block that one thread frees and another is given looks like a race of its
 * bytes. It is none: the two accesses are of different lives of the memory. landgo's malloc doesn't even give the second
 * thread the first one's memory; with glibc's own it gets it (TestRecycledBetweenThreads). */
#include <pthread.h>
#include <stdlib.h>
static int *volatile shared;
static void *one(void *a)
{
	volatile int *x = malloc(8); /* or gcc leaves all three lines out */
	*x = 1;
	free((void *)x);
	return a;
}
static void *two(void *a)
{
	volatile int *y = malloc(8);
	*y = 0;
	shared = (int *)y;
	*y = 2;
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
