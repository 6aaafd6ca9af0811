/* ROUNDER, ms-queue(N): of N threads every second one dequeues from the queue of ms.h, the others enqueue a node of
 * their own. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#ifndef N
#define N 3
#endif
#define NODES N
#include "ms.h"
/* Node i + 1 is that of thread i. */
void *enqueue(void *a)
{
	put((int)(intptr_t)a);
	return 0;
}
void *dequeue(void *a)
{
	(void)a;
	return (void *)(intptr_t)take();
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
