/* A writer, and a reader that never sees half of what it writes. */
#include "pebbles.h"
#include "thread.h"

static rwlock_t lock;
static volatile int left, right;

static void *reader(void *arg)
{
	rwlock_lock(&lock, RWLOCK_READ);
	assert(left == right);
	rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	rwlock_init(&lock);
	assert(thr_create(reader, NULL) > 0);
	rwlock_lock(&lock, RWLOCK_WRITE);
	left = 1;
	right = 1;
	rwlock_unlock(&lock);
	return 0;
}
