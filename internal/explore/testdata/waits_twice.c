/* Waits for a thread that waits, in turns too long to be told from work. */
#include <pthread.h>
static volatile int stop, go;
#define WAIT(x) while (!x) for (volatile int k = 0; k < 30000; k++)
static void *first(void *a) { WAIT(stop); return a; }
static void *second(void *a) { WAIT(go); stop = 1; return a; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, first, 0);
	pthread_create(&u, 0, second, 0);
	go = 1;
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
