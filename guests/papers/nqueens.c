/* Coons et al., NQueens: N queens by two workers. They draw the column of the first row from a
 * counter, search the rest alone, and add what they find to a sum. The main thread waits, yielding,
 * until all columns are done. That loop is what makes the state space cyclic; landgo takes it as an
 * exact spin. Faults as in their Table 1. -DDRAW (assertion): a column is drawn by a load and a store.
 * -DDONE (livelock): finished columns are counted so. -DSUM (assertion): solutions are added so. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#ifndef N
#define N 4
#endif
atomic_int next, done, sum;
static int add(atomic_int *v, int n, int whole)
{
	if (whole) return atomic_fetch_add(v, n);
	int old = atomic_load(v);
	atomic_store(v, old + n);
	return old;
}
#ifdef DRAW
#define WHOLE_DRAW 0
#else
#define WHOLE_DRAW 1
#endif
#ifdef DONE
#define WHOLE_DONE 0
#else
#define WHOLE_DONE 1
#endif
#ifdef SUM
#define WHOLE_SUM 0
#else
#define WHOLE_SUM 1
#endif
static int place(int row, int columns, int left, int right)
{
	if (row == N) return 1;
	int found = 0;
	for (int c = 0; c < N; c++)
		if (!((columns >> c | left >> (row + c) | right >> (row - c + N)) & 1))
			found += place(row + 1, columns | 1 << c, left | 1 << (row + c), right | 1 << (row - c + N));
	return found;
}
void *worker(void *a)
{
	(void)a;
	for (;;) {
		int c = add(&next, 1, WHOLE_DRAW);
		if (c >= N) return 0;
		int found = place(1, 1 << c, 1 << c, 1 << (N - c));
		if (found) add(&sum, found, WHOLE_SUM);
		add(&done, 1, WHOLE_DONE);
	}
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
	while (atomic_load(&done) < N) sched_yield();
	assert(atomic_load(&sum) == (N == 1 ? 1 : N == 4 ? 2 : N == 5 ? 10 : 0));
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	return 0;
}
