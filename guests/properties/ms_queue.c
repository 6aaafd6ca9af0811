/* The queue of Michael and Scott (PODC 1996), with nodes that are never used again. The
 * fault: dequeue reads a node's value after it has let the node go, so that the next
 * thread to go on may be given another's. The cure: read it before. */
#include <pthread.h>
#include <stdatomic.h>
#include "landgo-linux.h"

static atomic_int head, tail, link_of[4];
static atomic_int value[4];

static void enqueue(int node, int v)
{
	value[node] = v;
	for (;;) {
		int last = atomic_load(&tail), next = atomic_load(&link_of[last]), none = 0;
		if (next) {
			atomic_compare_exchange_strong(&tail, &last, next);
			continue;
		}
		if (atomic_compare_exchange_strong(&link_of[last], &none, node)) {
			atomic_compare_exchange_strong(&tail, &last, node);
			return;
		}
	}
}

static long dequeue(void)
{
	for (;;) {
		int first = atomic_load(&head), last = atomic_load(&tail), next = atomic_load(&link_of[first]);
		if (first == last) {
			if (!next)
				return LANDGO_EMPTY;
			atomic_compare_exchange_strong(&tail, &last, next);
			continue;
		}
		long v = value[next];
		if (!atomic_compare_exchange_strong(&head, &first, next))
			continue;
#ifndef FIXED
		v = value[atomic_load(&head)];
#endif
		return v;
	}
}

static void *take(void *a)
{
	landgo_op(&head, LANDGO_DEQUEUE, 0, dequeue());
	return a;
}

int main(void)
{
	pthread_t t[2];
	landgo_assert_linearizable(&head, LANDGO_QUEUE);
	for (int i = 1; i <= 2; i++)
		landgo_op_void(&head, LANDGO_ENQUEUE, 10 * i, enqueue(i, 10 * i));
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, take, 0);
	landgo_op_void(&head, LANDGO_ENQUEUE, 30, enqueue(3, 30));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
