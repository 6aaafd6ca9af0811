/* A biased lock: its owner enters by a plain store, another thread revokes the bias first. Without
 * the owner's fence neither sees the other. */
#include "memory.h"
static volatile int held, revoked, in;
static void *owner(void *a)
{
	held = 1;
	FENCE();
	if (!revoked) {
		assert(in == 0);
		in = 1;
		in = 0;
	}
	held = 0;
	return a;
}
static void *revoker(void *a)
{
	revoked = 1;
	MFENCE();
	while (held)
		;
	assert(in == 0);
	in = 1;
	in = 0;
	return a;
}
int main(void) { two(owner, revoker); }
