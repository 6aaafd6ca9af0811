/* Children for the programs here: forked (fork_call.S) runs child(arg) on a
 * stack; child mustn't return. */
#include "pebbles.h"

int forked(void *stack, void (*child)(void *), void *arg);

#define STACK_OF(n) ((char *)0x20000000 + (n) * 0x10000)

/* Starts the n-th child of the program, on a stack of one page. */
static inline int start(int n, void (*child)(void *), void *arg)
{
	assert(new_pages(STACK_OF(n), PAGE_SIZE) == 0);
	return forked(STACK_OF(n) + PAGE_SIZE, child, arg);
}
