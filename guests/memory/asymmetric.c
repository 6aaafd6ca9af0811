/* A biased lock with an asymmetric fence: its owner enters by a plain store, and the thread that revokes it
 * pays for both by membarrier. Without it neither sees the other. */
#include "memory.h"
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef FIXED
#define ALL() syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0)
#else
#define ALL() MFENCE()
#endif
static volatile int held, revoked, in;
static void *owner(void *a)
{
	held = 1;
	COMPILER();
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
	ALL();
	while (held)
		;
	assert(in == 0);
	in = 1;
	in = 0;
	return a;
}
int main(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	two(owner, revoker);
}
