/* ROUNDER, dglm-queue(N): the queue of Doherty, Groves, Luchangco and Moir (FORTE 2004). It is Michael and Scott's
 * (ms_queue.c) but for dequeue, which reads the tail only after it has moved the head, and helps it on if the head has
 * passed it. Of N threads every second one dequeues. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#ifndef N
#define N 3
#endif
/* Node 0 is the dummy, node i + 1 that of thread i; a link of 0 is none. */
atomic_int head, tail, link_of[N + 1];
int value[N + 1];
void *enqueue(void *a)
{
	int node = (int)(intptr_t)a;
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
			return 0;
		}
	}
}
void *dequeue(void *a)
{
	(void)a;
	for (;;) {
		int first = atomic_load(&head), next = atomic_load(&link_of[first]);
		if (first != atomic_load(&head)) continue;
		if (!next) return 0;
		int v = value[next];
		if (!atomic_compare_exchange_strong(&head, &first, next)) continue;
		int last = atomic_load(&tail);
		if (last == first) atomic_compare_exchange_strong(&tail, &last, next);
		return (void *)(intptr_t)v;
	}
}
int main(void)
{
	pthread_t t[N];
	int taken[N + 1] = {0}, count = 0;
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, i % 2 ? dequeue : enqueue, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < N; i++) {
		void *v;
		pthread_join(t[i], &v);
		if (v) count += !taken[(intptr_t)v]++;
	}
	for (int at = head; link_of[at]; at = link_of[at]) count += !taken[link_of[at]]++;
	assert(count == (N + 1) / 2);
	return 0;
}
