/* abi.md §8: the main stack grows by a page fault handler. */
#include "pebbles.h"

static char handler_stack[PAGE_SIZE] __attribute__((aligned(16)));
static int grown;

static void grow(void *arg, ureg_t *ureg)
{
	assert(ureg->cause == SWEXN_CAUSE_PAGEFAULT);
	assert(!(ureg->error_code & 1));
	assert(new_pages((void *)(ureg->cr2 & -PAGE_SIZE), PAGE_SIZE) == 0);
	grown++;
	swexn(handler_stack + sizeof handler_stack, grow, arg, ureg);
	assert(0);
}

void install_autostack(void *stack_high, void *stack_low)
{
	(void)stack_high;
	(void)stack_low;
	swexn(handler_stack + sizeof handler_stack, grow, NULL, NULL);
}

static __attribute__((noinline)) int deep(int n)
{
	volatile char page[PAGE_SIZE];

	page[0] = n;
	return n == 0 ? 0 : deep(n - 1) + 1 + page[0] - n;
}

int main(void)
{
	assert(deep(40) == 40);
	assert(grown > 20 && grown < 30);
	return 0;
}
