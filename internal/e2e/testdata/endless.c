/* Never reaches its first thread. */
#include <pthread.h>

static volatile unsigned long n;

static void *nothing(void *arg) { return arg; }

int main(void)
{
	for (;;)
		n++;
	pthread_t t;
	return pthread_create(&t, 0, nothing, 0);
}
