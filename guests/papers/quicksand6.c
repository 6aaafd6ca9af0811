/* Blum and Gibson (OOPSLA 2016), Figure 6: here it is one. A pass over a single execution that suppresses what looks
 * like recycled memory never sees that the second thread's access comes to the first one's block, freed or not. landgo's
 * malloc gives each thread other memory, so here the first execution has the bug already; with glibc's own it hasn't
 * (TestRecycledFirst). */
#include <pthread.h>
#include <stdlib.h>
static int *volatile shared;
static void *one(void *a)
{
	int *x = malloc(8);
	shared = x;
	*(volatile int *)x = 1;
	free(x);
	return a;
}
static void *two(void *a)
{
	int *x2 = shared;
	int *volatile y = malloc(8);
	if (x2) *(volatile int *)x2 = 2;
	free(y);
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
