/* abi.md §2: what the first thread finds at _main. */
#include "pebbles.h"

struct {
	long argc;
	char **argv;
	char *high, *low;
	unsigned long *rsp;
#ifdef __i386__
	unsigned long rest[7]; /* eax ebx ecx edx esi edi ebp */
#else
	unsigned long rest[11]; /* rax rbx rbp r8 ... r15 */
#endif
	unsigned long flags, return_address;
} found;

static long initialised = 7;
static char zeros[2 * PAGE_SIZE];

void check(void)
{
	assert(found.argc == 1);
	assert(strcmp(found.argv[0], "guest") == 0);
	assert(found.argv[1] == NULL);
	for (unsigned i = 0; i < sizeof found.rest / sizeof *found.rest; i++)
		assert(found.rest[i] == 0);
	assert((found.flags & 0xed5) == 0x200); /* status flags off, interrupts on */
	assert(found.return_address == 0);
	assert(((unsigned long)found.rsp + sizeof *found.rsp) % 16 == 0);

	assert(found.high == (char *)0xfffff000);
	assert(found.high - found.low == 64 << 10);
	assert((char *)found.rsp > found.low && (char *)found.rsp < found.high);
	assert((char *)found.argv < found.high && (char *)found.argv > (char *)found.rsp);
	*(volatile char *)found.low = 1;
	assert(found.high[-1] == 0); /* the end of argv[0] */

	assert(initialised == 7);
	for (unsigned i = 0; i < sizeof zeros; i++)
		assert(zeros[i] == 0);
	vanish();
}
