/* Two waits, and a signal for each, sent when the waiter is sure to be in the
 * queue: none is lost, and no wait ends without its own. (The loop around a
 * wait that any program has would hide a wait that ends for nothing.) */
#include "pebbles.h"
#include "thread.h"

#define ROUNDS 2

static mutex_t lock;
static cond_t told;
static volatile int waiting, signalled;

static void *waiter(void *arg)
{
	mutex_lock(&lock);
	for (int round = 1; round <= ROUNDS; round++) {
		waiting = round;
		cond_wait(&told, &lock);
		assert(signalled == round);
	}
	mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&lock);
	cond_init(&told);
	assert(thr_create(waiter, NULL) > 0);
	for (int round = 1; round <= ROUNDS; round++) {
		do
			thr_yield(-1);
		while (waiting != round);
		/* The waiter lets go of the lock once it is in the queue. */
		mutex_lock(&lock);
		mutex_unlock(&lock);
		signalled = round;
		cond_signal(&told);
	}
	return 0;
}
