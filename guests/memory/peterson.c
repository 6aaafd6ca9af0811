/* Peterson's lock. Without the fence the store to flag[me] is still buffered when flag[other]
 * is read, and both threads are in. Fix: a fence between them. */
#include "memory.h"
static volatile int flag[2], turn, in;
static void *enter(void *a)
{
	long me = (long)a;
	flag[me] = 1;
	turn = !me;
	FENCE();
	while (flag[!me] && turn == !me)
		;
	assert(in == 0);
	in = 1;
	in = 0;
	flag[me] = 0;
	return 0;
}
int main(void) { two(enter, enter); }
