/* Creates threads for ever. */
#include <pthread.h>

static void *nothing(void *arg) { return arg; }

int main(void)
{
	pthread_t t;
	for (;;)
		if (pthread_create(&t, 0, nothing, 0) != 0)
			return 1;
}
