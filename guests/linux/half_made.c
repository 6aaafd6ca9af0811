/* An object is shown before its flag is set: a thread that looks at the flag between sees what malloc left there. One preemption,
   between the two. FIXED: the flag is set first. Needs --check uninit. */
#include <pthread.h>
#include <stdlib.h>

struct object {
	volatile int ready;
};
struct object *volatile shared;
volatile int counted;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *make(void *arg)
{
	struct object *o = malloc(sizeof *o);
#ifdef FIXED
	o->ready = 1;
	pthread_mutex_lock(&lock);
	shared = o;
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_lock(&lock);
	shared = o;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	o->ready = 1;
	pthread_mutex_unlock(&lock);
#endif
	return arg;
}

static void *look(void *arg)
{
	pthread_mutex_lock(&lock);
	if (shared && shared->ready)
		counted = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, make, 0);
	pthread_create(&u, 0, look, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
