/* From a downgrade on other threads can read, and none can write until it is
 * unlocked. */
#include "pebbles.h"
#include "thread.h"

static rwlock_t lock;
static volatile int value;

static void *writer(void *arg)
{
	rwlock_lock(&lock, RWLOCK_WRITE);
	value = 2;
	rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	rwlock_init(&lock);
	rwlock_lock(&lock, RWLOCK_WRITE);
	assert(thr_create(writer, NULL) > 0);
	value = 1;
	rwlock_downgrade(&lock);
	assert(value == 1);
	rwlock_unlock(&lock);
	return 0;
}
