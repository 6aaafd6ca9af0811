/* The queue of Herlihy and Wing (TOPLAS 1990, figure 11): enqueue takes a place and then
 * stores there; dequeue takes the first value that it finds. The fault: enqueue looks for
 * a free place by itself, from the first on, so that a later value may come to lie before
 * an earlier one. The cure: places are given out once. */
#include <pthread.h>
#include <stdatomic.h>
#include "landgo-linux.h"

static atomic_int back, items[4];

static void enqueue(int v)
{
#ifdef FIXED
	int i = atomic_fetch_add(&back, 1);
	atomic_store(&items[i], v);
#else
	for (int i = 0, none = 0; !atomic_compare_exchange_strong(&items[i], &none, v); i++, none = 0)
		;
	atomic_fetch_add(&back, 1);
#endif
}

static int dequeue(void)
{
	int n = atomic_load(&back);
	for (int i = 0; i < n; i++) {
		int v = atomic_exchange(&items[i], 0);
		if (v)
			return v;
	}
	return 0;
}

static void *put(void *a)
{
	landgo_op_void(&back, LANDGO_ENQUEUE, (long)a, enqueue((int)(long)a));
	landgo_op_void(&back, LANDGO_ENQUEUE, (long)a + 1, enqueue((int)(long)a + 1));
	return 0;
}

static void taken(void)
{
	landgo_op_begin(&back, LANDGO_DEQUEUE, 0);
	int v = dequeue();
	landgo_op_end(&back, v ? v : LANDGO_EMPTY);
}

int main(void)
{
	pthread_t t;
	landgo_assert_linearizable(&back, LANDGO_QUEUE);
	landgo_op_void(&back, LANDGO_ENQUEUE, 1, enqueue(1));
	pthread_create(&t, 0, put, (void *)2);
	taken();
	pthread_join(t, 0);
	taken();
	taken();
	return 0;
}
