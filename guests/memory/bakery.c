/* Lamport's bakery (CACM 1974), for two, one entry each. */
#include "memory.h"
static volatile int choosing[2], number[2], in;
static void *enter(void *a)
{
	long me = (long)a, other = !me;
	choosing[me] = 1;
	FENCE();
	number[me] = number[other] + 1;
	choosing[me] = 0;
	FENCE();
	while (choosing[other])
		;
	while (number[other] && (number[other] < number[me] || (number[other] == number[me] && other < me)))
		;
	assert(in == 0);
	in = 1;
	in = 0;
	number[me] = 0;
	return 0;
}
int main(void) { two(enter, enter); }
