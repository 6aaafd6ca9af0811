/* An MCS lock (TOCS 1991): its exchange is a locked instruction, so it is right on x86. */
#include "memory.h"
struct node { struct node *volatile next; volatile int locked; };
static struct node *volatile tail;
static struct node nodes[2];
static volatile int count;
static void *enter(void *a)
{
	struct node *me = &nodes[(long)a];
	me->next = 0;
	me->locked = 1;
	struct node *before = __sync_lock_test_and_set(&tail, me);
	if (before) {
		before->next = me;
		while (me->locked)
			;
	}
	count = count + 1;
	if (!me->next) {
		if (CAS(&tail, me, 0))
			return 0;
		while (!me->next)
			;
	}
	me->next->locked = 0;
	return 0;
}
int main(void)
{
	two(enter, enter);
	assert(count == 2);
}
