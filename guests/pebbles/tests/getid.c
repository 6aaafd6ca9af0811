/* An id is the same to a thread's creator and to the thread itself, and no
 * other thread has it. */
#include "pebbles.h"
#include "thread.h"

static void *child(void *creator)
{
	int self = thr_getid();

	assert(self != (int)(long)creator);
	thr_yield((int)(long)creator);
	assert(thr_getid() == self);
	return (void *)(long)self;
}

int main(void)
{
	void *status;

	thr_init(PAGE_SIZE);
	int self = thr_getid();
	int tid = thr_create(child, (void *)(long)self);
	assert(tid > 0);
	thr_yield(tid);
	assert(thr_getid() == self);
	assert(thr_join(tid, &status) == 0);
	assert(status == (void *)(long)tid);
	return 0;
}
