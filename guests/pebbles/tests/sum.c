/* Two threads each add to one number and keep what it was before. At the end the number is the
 * sum of all that was added, and what the two threads saw fits one order of them. A lost or a
 * doubled addition shows in one of the two checks. */
#include "pebbles.h"
#include "thread.h"

#define START 3
#define PARENT 10
#define CHILD 20

static mutex_t lock;
static volatile int sum = START;
static volatile int parent_saw, child_saw, finished;

static int add(int n)
{
	mutex_lock(&lock);
	int old = sum;
	sum = old + n;
	mutex_unlock(&lock);
	return old;
}

/* The last thread looks at the result. */
static void finish(void)
{
	mutex_lock(&lock);
	int last = ++finished == 2;
	mutex_unlock(&lock);
	if (last) {
		assert(sum == START + PARENT + CHILD);
		assert(parent_saw + child_saw == 2 * START + (parent_saw == START ? PARENT : CHILD));
	}
}

static void *child(void *arg)
{
	child_saw = add(CHILD);
	finish();
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&lock);
	assert(thr_create(child, NULL) > 0);
	parent_saw = add(PARENT);
	finish();
	return 0;
}
