/* ROUNDER, dglm-fifo(N): one thread enqueues two values into the queue of dglm.h, and N - 1 dequeue one each. The second
 * value isn't taken before the first. The paper names the program only; that fifo is for this property is our reading. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#ifndef N
#define N 4
#endif
#define NODES 2
#include "dglm.h"
void *enqueue(void *a)
{
	(void)a;
	put(1);
	put(2);
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
	int taken[3] = {0};
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, i ? dequeue : enqueue, 0);
	for (int i = 0; i < N; i++) {
		void *v;
		pthread_join(t[i], &v);
		taken[(intptr_t)v]++;
	}
	assert(taken[1] <= 1 && taken[2] <= taken[1]);
	return 0;
}
