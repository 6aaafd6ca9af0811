/* abi.md §8: a handler serves once. A fault in it ends the guest: this program
 * is to end with a segmentation fault, at the second address. */
#include "pebbles.h"

static char stack[PAGE_SIZE];

static void handler(void *arg, ureg_t *ureg)
{
	(void)arg;
	*(volatile char *)(ureg->cr2 + PAGE_SIZE) = 1;
	task_vanish(0);
}

int main(void)
{
	swexn(stack + sizeof stack, handler, NULL, NULL);
	*(volatile char *)0x70000000 = 1;
	task_vanish(0);
}
