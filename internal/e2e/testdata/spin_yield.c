// A mutex that tries a thousand times before it yields, as many a student's does:
// a turn of its loop is a thousand steps. SILENT: an unlock that gives nothing
// back. PLAIN: a lock that looks and takes in two steps, so that it can undo an
// unlock.
#include "child.h"

static volatile int held, inside;

static inline int exchange(volatile int *p, int v)
{
#ifdef PLAIN
	int old = *p;
	*p = v;
	return old;
#else
	__asm__ volatile("xchg %0, %1" : "+r"(v), "+m"(*p) : : "memory");
	return v;
#endif
}

__attribute__((noinline)) void mutex_lock(volatile int *m)
{
	for (;;) {
		for (int i = 0; i < 1000; i++)
			if (exchange(m, 1) == 0)
				return;
		yield(-1);
	}
}

__attribute__((noinline)) void mutex_unlock(volatile int *m)
{
#ifdef SILENT
	if (inside == 0)
		return;
#endif
	*m = 0;
}

static void section(void)
{
	mutex_lock(&held);
	inside = inside + 1;
	assert(inside == 1);
	inside = inside - 1;
	mutex_unlock(&held);
}

static void other(void *arg)
{
	(void)arg;
	section();
	vanish();
}

int main(void)
{
	start(0, other, NULL);
	section();
	return 0;
}
