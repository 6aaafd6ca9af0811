/* Two writers and a reader: no writer is in with another thread. */
#include "pebbles.h"
#include "thread.h"

static rwlock_t lock;
static volatile int left, right;

static void *writer(void *arg)
{
	rwlock_lock(&lock, RWLOCK_WRITE);
	left = left + 1;
	right = right + 1;
	rwlock_unlock(&lock);
	(void)arg;
	vanish();
}

int main(void)
{
	thr_init(PAGE_SIZE);
	rwlock_init(&lock);
	assert(thr_create(writer, NULL) > 0);
	assert(thr_create(writer, NULL) > 0);
	rwlock_lock(&lock, RWLOCK_READ);
	assert(left == right);
	rwlock_unlock(&lock);
	return 0;
}
