#include <assert.h>
#include <pthread.h>

volatile int counter;

static void *worker(void *arg)
{
	int v = counter;
	counter = v + 1;
	return arg;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, worker, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(counter == 2);
}
