/* Dekker's lock, tried once: a thread that finds the other's flag gives up. Without the fence neither
 * finds it. */
#include "memory.h"
static volatile int flag[2], in;
static void *enter(void *a)
{
	long me = (long)a;
	flag[me] = 1;
	FENCE();
	if (!flag[!me]) {
		assert(in == 0);
		in = 1;
		in = 0;
	}
	flag[me] = 0;
	return 0;
}
int main(void) { two(enter, enter); }
