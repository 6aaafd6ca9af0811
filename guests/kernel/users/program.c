/* The program that all processes run, in user mode. Process 0 is the other's
 * parent. A word of memory is theirs in common, which the kernel has too, at another
 * address. */
#include "calls.h"

static int call(int number, int argument)
{
	int result;
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(argument) : "memory");
	return result;
}

#define shared (*(volatile int *)SHARED_AT)

static void increment(void)
{
	int seen = shared;
	shared = seen + 1;
}

static void work(int number, int test)
{
	switch (test) {
	case TEST_LOCK: /* in turn */
		call(CALL_LOCK, 0);
		increment();
		call(CALL_UNLOCK, 0);
		break;
	case TEST_RACE: /* without a lock: the test is wrong */
		increment();
		break;
	case TEST_ADD: /* the kernel does it for both */
		call(CALL_ADD, 1);
		break;
	case TEST_BOTH: /* one does it, the kernel does it for the other: wrong too */
		if (number == 1)
			increment();
		else
			call(CALL_ADD, 1);
		break;
	}
}

__attribute__((section(".start"))) void start(int number)
{
	work(number, call(CALL_TEST, 0));
	if (number != 0)
		call(CALL_EXIT, 0);
	if (call(CALL_WAIT, 0) < 0)
		call(CALL_FAIL, 1);
	if (shared != PROCESSES)
		call(CALL_FAIL, 2);
	for (;;)
		call(CALL_READ, 0);
}
