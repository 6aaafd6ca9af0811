// Three threads with races on both sides of a lock: more interleavings than are
// run in a second.
#include <pthread.h>

static int before, within, after, last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	before++;
	pthread_mutex_lock(&lock);
	within++;
	pthread_mutex_unlock(&lock);
	after++;
	if (arg)
		last++;
	return 0;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, i < 2 ? t : 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
