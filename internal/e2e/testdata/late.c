/* A lost update. That far is also shared is seen only where two goes first: not
   on the search's way to the bug, but by the search for a shorter story. */
#include <assert.h>
#include <pthread.h>

volatile int x, done;
struct { _Alignas(8192) volatile int value; char rest[8188]; } far;

static void *one(void *arg)
{
	if (done)
		far.value++;
	x = x + 1;
	return arg;
}

static void *two(void *arg)
{
	far.value = 1;
	far.value = 2;
	x = x + 1;
	done = 1;
	return arg;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(x == 2);
	return 0;
}
