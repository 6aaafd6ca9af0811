/* A reader's section and a grace period, as userspace RCU has them. Without the fence the reader is
 * not yet seen when it reads the pointer, and the writer doesn't wait for it. */
#include "memory.h"
static volatile int reading, valid = 1, *volatile shared = &valid;
static volatile int other = 1;
static void *reader(void *a)
{
	reading = 1;
	FENCE();
	assert(*shared == 1);
	reading = 0;
	return a;
}
static void *writer(void *a)
{
	shared = &other;
	MFENCE();
	while (reading)
		;
	valid = 0;
	return a;
}
int main(void) { two(reader, writer); }
