/* ABA: a lock-free stack over a pool of two nodes. A pop that stops before its compare-and-swap sees the same head
 * again, though its successor is taken by now. One preemption. FIXED: the head counts its changes. */
#include <assert.h>
#include <pthread.h>

#ifdef FIXED
#define CHANGE 0x100
#else
#define CHANGE 0
#endif

volatile int head = 1; /* node number, and changes << 8 */
volatile int next[3] = {0, 2, 0};
volatile int kept;

static int swap(int from, int to)
{
	return __atomic_compare_exchange_n(&head, &from, (from & ~0xff) + CHANGE + to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static int pop(void)
{
	for (;;) {
		int h = head, n = h & 0xff;
		if (n == 0)
			return 0;
		int after = next[n];
		if (swap(h, after))
			return n;
	}
}

static void push(int n)
{
	for (;;) {
		int h = head;
		next[n] = h & 0xff;
		if (swap(h, n))
			return;
	}
}

static void *one(void *a)
{
	pop();
	return a;
}

static void *two(void *a)
{
	int n = pop();
	kept = pop();
	if (n)
		push(n);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, one, 0);
	pthread_create(&u, 0, two, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	int top = head & 0xff, mine = kept;
	assert(top == 0 || top != mine);
	return 0;
}
