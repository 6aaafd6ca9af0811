/* ROUNDER, bstack(N): a bounded stack in an array. N threads push a value each: a slot is claimed by moving the top with
 * compare-and-swap, and then filled; a full stack refuses. The paper names the program only; that it is an array with a
 * bound is our reading. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#ifndef N
#define N 5
#endif
#define ROOM (N - 1)
atomic_int top, slot[ROOM];
static int push(int v)
{
	int at = atomic_load(&top);
	do {
		if (at == ROOM) return 0;
	} while (!atomic_compare_exchange_strong(&top, &at, at + 1));
	atomic_store(&slot[at], v);
	return 1;
}
atomic_int refused;
void *run(void *a)
{
	if (!push((int)(intptr_t)a)) atomic_fetch_add(&refused, 1);
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, run, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < N; i++) pthread_join(t[i], 0);
	assert(atomic_load(&top) == ROOM && atomic_load(&refused) == 1);
	int sum = 0;
	for (int i = 0; i < ROOM; i++) sum += atomic_load(&slot[i]) > 0;
	assert(sum == ROOM);
	return 0;
}
