/* A ticket lock whose tickets are drawn by a load and a store. With one preemption a thread draws a number that has
 * been served already and waits for ever; with two, two threads are inside. FIXED: drawn by one atomic addition. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

volatile int next, owner, inside;

static void *worker(void *a)
{
	int id = (int)(intptr_t)a;
#ifdef FIXED
	int mine = __atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST);
#else
	int mine = next;
	next = mine + 1;
#endif
	while (owner != mine)
		;
	inside = id;
	int v = inside;
	assert(v == id);
	owner = mine + 1;
	return 0;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, worker, (void *)1);
	pthread_create(&u, 0, worker, (void *)2);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
