/* Two threads wait at one condition, one after the other, and each tells the
 * other. The first wait needs no loop: only from it does the other get the lock. */
#include "pebbles.h"
#include "thread.h"

static mutex_t lock;
static cond_t changed;
static volatile int question, answer;

static void *other(void *arg)
{
	mutex_lock(&lock);
	question = 1;
	cond_signal(&changed);
	while (!answer)
		cond_wait(&changed, &lock);
	mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&lock);
	cond_init(&changed);
	mutex_lock(&lock);
	assert(thr_create(other, NULL) > 0);
	cond_wait(&changed, &lock);
	assert(question);
	answer = 1;
	cond_broadcast(&changed);
	mutex_unlock(&lock);
	return 0;
}
