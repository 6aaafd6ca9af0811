/* The non-blocking queue of Michael and Scott (PODC 1996), for ms_queue.c and ms_oe.c: a list with a dummy node, whose tail
 * may lag behind and is helped on. Nodes are indices into an array and none is used twice, so that pointers need no
 * counter. */
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
		int first = atomic_load(&head), last = atomic_load(&tail), next = atomic_load(&link_of[first]);
		if (first != atomic_load(&head)) continue;
		if (first == last) {
			if (!next) return 0;
			atomic_compare_exchange_strong(&tail, &last, next);
			continue;
		}
		int v = value[next];
		if (atomic_compare_exchange_strong(&head, &first, next)) return v;
	}
}
