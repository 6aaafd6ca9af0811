// A thread that has done all that others can see may still live when another thread
// asks for it, or be gone. What asks is a switch: each of the programs has a bug,
// in one order of the thread's end and the question.
#include "child.h"

static volatile int seen, reject;

static void child(void *arg)
{
	(void)arg;
	seen = 1;
#if defined SLEEPS
	deschedule((int *)&reject);
#endif
	vanish();
}

int main(void)
{
	int tid = start(0, child, NULL);
#if defined SLEEPS
	while (make_runnable(tid) != 0)
		yield(-1);
	assert(yield(tid) == 0);
	return 0;
#endif
	if (!seen)
		return 0;
#if defined LIVES
	assert(yield(tid) == ERR_THREAD);
#elif defined GONE
	assert(yield(tid) == 0);
#elif defined TWICE
	// It is there, and then it isn't.
	if (yield(tid) == 0)
		assert(yield(tid) == 0);
#endif
	return 0;
}
