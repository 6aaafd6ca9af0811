/* ROUNDER, ms-oe(N): one thread enqueues a value into the queue of ms.h, and N - 1 dequeue: one of them gets it, or none. The paper
 * names the program only; that oe is for one enqueuer is our reading. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#ifndef N
#define N 4
#endif
#define NODES 1
#include "ms.h"
void *enqueue(void *a)
{
	(void)a;
	put(1);
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
	int count = 0;
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, i ? dequeue : enqueue, 0);
	for (int i = 0; i < N; i++) {
		void *v;
		pthread_join(t[i], &v);
		count += v != 0;
	}
	count += link_of[head] != 0; // not taken
	assert(count == 1);
	return 0;
}
