/* Two threads wait, and each of two signals, sent without the lock, wakes one.
 * The waiters vanish at once: see broadcast.c. */
#include "pebbles.h"
#include "thread.h"

static mutex_t lock;
static cond_t told;
static int tokens;

static void *waiter(void *arg)
{
	(void)arg;
	mutex_lock(&lock);
	while (tokens == 0)
		cond_wait(&told, &lock);
	tokens--;
	mutex_unlock(&lock);
	vanish();
}

static void tell(void)
{
	mutex_lock(&lock);
	tokens++;
	mutex_unlock(&lock);
	cond_signal(&told);
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&lock);
	cond_init(&told);
	assert(thr_create(waiter, NULL) > 0);
	assert(thr_create(waiter, NULL) > 0);
	tell();
	tell();
	return 0;
}
