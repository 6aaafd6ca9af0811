/* The lazy list of Heller and others (OPODIS 2005): a sorted list with a lock for each node.
 * remove marks a node before it takes it out, and contains takes no lock. The fault: when add has
 * its locks, it looks at the links alone and not at the marks. So it may put its node behind one
 * that has been removed. The cure: look at the marks too. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "landgo-linux.h"

struct node {
	long key;
	_Atomic(struct node *) next;
	atomic_int marked;
	pthread_mutex_t lock;
};
static struct node last = {.key = 100, .lock = PTHREAD_MUTEX_INITIALIZER};
static struct node first = {.key = 0, .next = &last, .lock = PTHREAD_MUTEX_INITIALIZER};
static struct node own[3] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};

static void find(long key, struct node **before, struct node **at)
{
	for (*before = &first, *at = first.next; (*at)->key < key; *before = *at, *at = (*at)->next)
		;
}

static int valid(struct node *before, struct node *at, int marks)
{
	return before->next == at && !(marks && (before->marked || at->marked));
}

static int add(struct node *n, long key)
{
	for (;;) {
		struct node *before, *at;
		int there, ok;
		find(key, &before, &at);
		pthread_mutex_lock(&before->lock);
		pthread_mutex_lock(&at->lock);
#ifdef FIXED
		ok = valid(before, at, 1);
#else
		ok = valid(before, at, 0);
#endif
		there = at->key == key;
		if (ok && !there) {
			n->key = key;
			n->next = at;
			before->next = n;
		}
		pthread_mutex_unlock(&at->lock);
		pthread_mutex_unlock(&before->lock);
		if (ok)
			return !there;
	}
}

static int removed(long key)
{
	for (;;) {
		struct node *before, *at;
		int there, ok;
		find(key, &before, &at);
		pthread_mutex_lock(&before->lock);
		pthread_mutex_lock(&at->lock);
		ok = valid(before, at, 1);
		there = at->key == key;
		if (ok && there) {
			at->marked = 1;
			before->next = (struct node *)at->next;
		}
		pthread_mutex_unlock(&at->lock);
		pthread_mutex_unlock(&before->lock);
		if (ok)
			return there;
	}
}

static int contains(long key)
{
	struct node *before, *at;
	find(key, &before, &at);
	return at->key == key && !at->marked;
}

static void *remover(void *a)
{
	landgo_op(&first, LANDGO_REMOVE, 1, removed(1));
	return a;
}

int main(void)
{
	pthread_t t;
	landgo_assert_linearizable(&first, LANDGO_SET);
	landgo_op(&first, LANDGO_ADD, 1, add(&own[0], 1));
	pthread_create(&t, 0, remover, 0);
	landgo_op(&first, LANDGO_ADD, 2, add(&own[1], 2));
	landgo_op(&first, LANDGO_CONTAINS, 2, contains(2));
	pthread_join(t, 0);
	return 0;
}
