/* Treiber's stack with nodes that are used again. The fault: top is compared by its node
 * alone. A node that was popped and pushed again looks as if nothing had happened (ABA),
 * and the stack gets a node back that another thread has. The cure: a count beside it. */
#include <pthread.h>
#include <stdatomic.h>
#include "landgo-linux.h"

/* A node's number, and with the cure a count above it. Number 0 is none. */
static atomic_int top;
static int next_of[4];
#define NODE(t) ((t) & 0xff)
#ifdef FIXED
#define ABOVE(t) (((t) & ~0xff) + 0x100)
#else
#define ABOVE(t) 0
#endif

static void push(int node)
{
	int t = atomic_load(&top);
	do
		next_of[node] = NODE(t);
	while (!atomic_compare_exchange_strong(&top, &t, ABOVE(t) | node));
}

static int pop(void)
{
	int t = atomic_load(&top);
	while (NODE(t) && !atomic_compare_exchange_strong(&top, &t, ABOVE(t) | next_of[NODE(t)]))
		;
	return NODE(t);
}

static int popped(void)
{
	landgo_op_begin(&top, LANDGO_POP, 0);
	int node = pop();
	landgo_op_end(&top, node ? node : LANDGO_EMPTY);
	return node;
}

static void *one(void *a)
{
	popped();
	return a;
}

static void *two(void *a)
{
	int first = popped();
	popped();
	if (first)
		landgo_op_void(&top, LANDGO_PUSH, first, push(first));
	return a;
}

int main(void)
{
	pthread_t t[2];
	landgo_assert_linearizable(&top, LANDGO_STACK);
	for (int node = 1; node <= 2; node++)
		landgo_op_void(&top, LANDGO_PUSH, node, push(node));
	pthread_create(&t[0], 0, one, 0);
	pthread_create(&t[1], 0, two, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	while (popped())
		;
	return 0;
}
