/* A barrier for three that only two come to. No preemption. FIXED: a barrier for two. */
#include <pthread.h>

#ifdef FIXED
#define PARTIES 2
#else
#define PARTIES 3
#endif

pthread_barrier_t b;

static void *party(void *a)
{
	pthread_barrier_wait(&b);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_barrier_init(&b, 0, PARTIES);
	pthread_create(&t, 0, party, 0);
	pthread_create(&u, 0, party, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
