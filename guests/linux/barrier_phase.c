/* One barrier a phase: a fast thread writes its value of the next phase before the other has read this one's.
 * No preemption. FIXED: a second barrier after the reading. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

volatile int slot[2];
pthread_barrier_t b;

static void *worker(void *a)
{
	int me = (int)(intptr_t)a;
	for (int phase = 1; phase <= 2; phase++) {
		slot[me] = phase;
		pthread_barrier_wait(&b);
		int v = slot[1 - me];
		assert(v == phase);
#ifdef FIXED
		pthread_barrier_wait(&b);
#endif
	}
	return 0;
}

int main(void)
{
	pthread_t t, u;
	pthread_barrier_init(&b, 0, 2);
	pthread_create(&t, 0, worker, (void *)0);
	pthread_create(&u, 0, worker, (void *)1);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
