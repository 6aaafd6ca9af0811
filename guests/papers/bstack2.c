/* ROUNDER, bstack2(N): the bounded stack of bstack.c with threads that pop as well as threads that push: of N threads
 * every second one pops, and an empty stack refuses. Top and the value under it change in one compare-and-swap each. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#ifndef N
#define N 4
#endif
#define ROOM 2
/* The top: how many values are in, and the values, a byte each. */
atomic_uint stack;
atomic_int in, out;
static int push(unsigned v)
{
	unsigned old = atomic_load(&stack), now;
	do {
		unsigned n = old & 0xff;
		if (n == ROOM) return 0;
		now = (old | v << (8 * (n + 1))) + 1;
	} while (!atomic_compare_exchange_strong(&stack, &old, now));
	return 1;
}
static int pop(void)
{
	unsigned old = atomic_load(&stack), now;
	do {
		unsigned n = old & 0xff;
		if (n == 0) return 0;
		now = (old & ~(0xffu << (8 * n))) - 1;
	} while (!atomic_compare_exchange_strong(&stack, &old, now));
	return 1;
}
void *pusher(void *a) { return (void *)(intptr_t)push((unsigned)(intptr_t)a); }
void *popper(void *a) { (void)a; return (void *)(intptr_t)-pop(); }
int main(void)
{
	pthread_t t[N];
	int left = 0;
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, i % 2 ? popper : pusher, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < N; i++) {
		void *n;
		pthread_join(t[i], &n);
		left += (int)(intptr_t)n;
	}
	assert((atomic_load(&stack) & 0xff) == (unsigned)left);
	return 0;
}
