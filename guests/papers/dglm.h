/* The queue of Doherty, Groves, Luchangco and Moir (FORTE 2004), for dglm_queue.c, dglm_oe.c and dglm_fifo.c. It is
 * Michael and Scott's (ms.h) but for dequeue, which reads the tail only after it has moved the head, and helps it on if
 * the head has passed it. */
#include <stdatomic.h>

/* Node 0 is the dummy, the others are 1 to NODES; a link of 0 is none. */
static atomic_int head, tail, link_of[NODES + 1];
static int value[NODES + 1];
static void put(int node)
{
	value[node] = node;
	for (;;) {
		int last = atomic_load(&tail), next = atomic_load(&link_of[last]);
		if (last != atomic_load(&tail)) continue;
		if (next) {
			atomic_compare_exchange_strong(&tail, &last, next);
			continue;
		}
		int none = 0;
		if (atomic_compare_exchange_strong(&link_of[last], &none, node)) {
			atomic_compare_exchange_strong(&tail, &last, node);
			return;
		}
	}
}
/* take is the value taken, 0 if the queue is empty. */
static int take(void)
{
	for (;;) {
		int first = atomic_load(&head), next = atomic_load(&link_of[first]);
		if (first != atomic_load(&head)) continue;
		if (!next) return 0;
		int v = value[next];
		if (!atomic_compare_exchange_strong(&head, &first, next)) continue;
		int last = atomic_load(&tail);
		if (last == first) atomic_compare_exchange_strong(&tail, &last, next);
		return v;
	}
}
