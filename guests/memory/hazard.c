/* A hazard pointer (Michael, TPDS 2004). Without the fence the reader's announcement is buffered
 * when it looks again, and the writer frees what it reads. */
#include "memory.h"
static int *volatile shared, *volatile hazard;
static void *reader(void *a)
{
	int *p = shared;
	hazard = p;
	FENCE();
	if (p == shared)
		assert(*(volatile int *)p == 1);
	hazard = 0;
	return a;
}
static void *writer(void *a)
{
	static int next = 1;
	int *old = __sync_lock_test_and_set(&shared, &next);
	if (hazard != old)
		*(volatile int *)old = 0; /* it is given back */
	return a;
}
int main(void)
{
	static int first = 1;
	shared = &first;
	two(reader, writer);
}
