/* The user says that it is done before it has let go of the lock, and the owner destroys it. One preemption.
 * FIXED: it says so afterwards. */
#include <pthread.h>

volatile int done;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *a)
{
	pthread_mutex_lock(&m);
#ifdef FIXED
	pthread_mutex_unlock(&m);
	done = 1;
#else
	done = 1;
	pthread_mutex_unlock(&m);
#endif
	return a;
}

static void *owner(void *a)
{
	if (done)
		pthread_mutex_destroy(&m);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, user, 0);
	pthread_create(&u, 0, owner, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
