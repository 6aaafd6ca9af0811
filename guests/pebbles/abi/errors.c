/* abi.md §3: calls that fail return their number, and do nothing else. */
#include "pebbles.h"

#define NOWHERE ((void *)0x70000000)

long raw_print(void *packet);

int main(void)
{
	char buf[4];

	assert(raw_print(NOWHERE) == ERR_POINTER);
	assert(raw_print((char *)0 - 8) == ERR_POINTER);
	assert(print(1, NOWHERE) == ERR_POINTER);
	assert(print(-1, buf) == ERR_ARGUMENT);
	assert(print(65537, buf) == ERR_ARGUMENT);
	assert(print(0, NOWHERE) == 0);
	assert(readline(1, NOWHERE) == ERR_POINTER);
	assert(readline(4, (char *)main) == ERR_POINTER); /* code can't be written */
	assert(readline(-1, buf) == ERR_ARGUMENT);
	assert(deschedule(NULL) == ERR_POINTER);
	assert(deschedule(NOWHERE) == ERR_POINTER);
	assert(make_runnable(gettid()) == ERR_THREAD);
	assert(make_runnable(0) == ERR_THREAD);
	assert(make_runnable(-5) == ERR_THREAD);
	assert(make_runnable(3) == ERR_THREAD); /* no thread yet */
	assert(yield(2) == ERR_THREAD);         /* no thread ever */
	assert(yield(-2) == ERR_THREAD);
	assert(sleep(-1) == ERR_ARGUMENT);
	assert(swexn(NOWHERE, NULL, NULL, NOWHERE) == ERR_POINTER);
	assert(set_term_color(0x90) == ERR_ARGUMENT);
	assert(set_cursor_pos(25, 0) == ERR_ARGUMENT);
	return 0;
}
