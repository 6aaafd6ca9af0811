/* A sequence lock, one try: right on x86 without a fence. */
#include "memory.h"
static volatile unsigned seq;
static volatile int x, y;
static void *writer(void *a)
{
	seq = 1;
	x = 1;
	y = 1;
	seq = 2;
	return a;
}
static void *reader(void *a)
{
	unsigned s = seq;
	int u = x, v = y;
	if (!(s & 1) && seq == s)
		assert(u == v);
	return a;
}
int main(void) { two(writer, reader); }
