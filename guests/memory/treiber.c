/* Treiber's stack (1986), two pushes: the compare-and-exchange is a locked instruction. */
#include "memory.h"
struct node { struct node *volatile next; volatile int v; };
static struct node *volatile top;
static struct node nodes[2];
static void *push(void *a)
{
	struct node *n = &nodes[(long)a], *t;
	n->v = 1;
	do {
		t = top;
		n->next = t;
	} while (!CAS(&top, t, n));
	return a;
}
int main(void)
{
	two(push, push);
	int n = 0;
	for (struct node *p = top; p; p = p->next)
		n += p->v;
	assert(n == 2);
}
