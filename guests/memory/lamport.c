/* Lamport's fast mutex (TOCS 1987), tried once by each of two threads. */
#include "memory.h"
static volatile int b[2], x, y, in;
static void *enter(void *a)
{
	long me = (long)a;
	b[me] = 1;
	x = me + 1;
	FENCE();
	if (y) {
		b[me] = 0;
		return 0;
	}
	y = me + 1;
	FENCE();
	if (x != me + 1) {
		b[me] = 0;
		FENCE();
		if (b[!me] || y != me + 1)
			return 0;
	}
	assert(in == 0);
	in = 1;
	in = 0;
	y = 0;
	b[me] = 0;
	return 0;
}
int main(void) { two(enter, enter); }
