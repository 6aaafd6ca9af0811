// A lost update after a loop of thousands of turns over shared memory.
#include <assert.h>
#include <pthread.h>

volatile int counter, data[8];

static void *work(void *unused)
{
	for (int i = 0; i < 2000; i++)
		data[i & 7]++;
	counter++;
	return unused;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	assert(counter == 2);
}
