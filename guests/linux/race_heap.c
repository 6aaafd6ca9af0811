/* A data race on a field of a block on the heap: landgo calls it node.value, allocated in main.
 * No preemption, and nothing fails: only --fail-on race makes a bug of it. FIXED: a lock around each access. */
#include <pthread.h>
#include <stdlib.h>

struct node {
	struct node *next;
	volatile int key, value;
};

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#ifdef FIXED
#define ENTER() pthread_mutex_lock(&m)
#define LEAVE() pthread_mutex_unlock(&m)
#else
#define ENTER() (void)&m
#define LEAVE() (void)&m
#endif

static void *writer(void *a)
{
	struct node *n = a;
	ENTER();
	n->value = 1;
	LEAVE();
	return 0;
}

static void *reader(void *a)
{
	struct node *n = a;
	ENTER();
	(void)n->value;
	LEAVE();
	return 0;
}

int main(void)
{
	struct node *n = malloc(sizeof *n);
	pthread_t t, u;
	n->value = 0;
	pthread_create(&t, 0, writer, n);
	pthread_create(&u, 0, reader, n);
	pthread_join(t, 0);
	pthread_join(u, 0);
	free(n);
	return 0;
}
