/* A work-stealing deque of one task (Chase and Lev, SPAA 2005): its owner takes, a thief steals.
 * Without the fence the owner's store to bottom is buffered when it reads top: both get it. */
#include "memory.h"
static volatile long top, bottom = 1;
static volatile int got;
static void *owner(void *a)
{
	long b = bottom - 1;
	bottom = b;
	FENCE();
	long t = top;
	if (t > b)
		bottom = b + 1;
	else if (t < b || CAS(&top, t, t + 1))
		__sync_fetch_and_add(&got, 1);
	return a;
}
static void *thief(void *a)
{
	long t = top;
	COMPILER();
	long b = bottom;
	if (t < b && CAS(&top, t, t + 1))
		__sync_fetch_and_add(&got, 1);
	return a;
}
/* The owner takes the last of two tasks at once, without a compare-and-exchange. */
static void *owner_of_two(void *a)
{
	bottom = 2;
	owner(a);
	owner(a);
	return a;
}
static void *thief_of_two(void *a)
{
	thief(a);
	thief(a);
	return a;
}
int main(void)
{
	two(owner_of_two, thief_of_two);
	assert(got <= 2);
}
