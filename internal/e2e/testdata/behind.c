// A node is read after another thread has freed it, and behind that an update is lost.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *node;
static volatile int done;

__attribute__((noinline)) static int pop(int *n)
{
	return *n;
}

static void *reader(void *unused)
{
	int *n = node;
	__asm__ volatile("" : : "r"(pop(n)));
	done++;
	return unused;
}

static void *freer(void *unused)
{
	free(node);
	done++;
	return unused;
}

int main(void)
{
	pthread_t t[2];
	node = calloc(1, sizeof *node);
	pthread_create(&t[0], 0, reader, 0);
	pthread_create(&t[1], 0, freer, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	assert(done == 2);
}
