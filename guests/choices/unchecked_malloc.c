/* An allocation whose result isn't looked at: with --faults malloc=1 one of the two fails. FIXED: it is looked at. */
#include <pthread.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
} *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *push(void *a)
{
	struct node *n = malloc(sizeof *n);
#ifdef FIXED
	if (!n)
		return a;
#endif
	n->value = 1;
	pthread_mutex_lock(&m);
	n->next = head;
	head = n;
	pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, push, 0);
	pthread_create(&u, 0, push, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
