/* A second thread while the first is still on its way out: whatever it gets
 * that was the first one's, the first one needs no more. */
#include "pebbles.h"
#include "thread.h"

static void *child(void *arg) { return arg; }

int main(void)
{
	void *status;

	thr_init(PAGE_SIZE);
	for (long i = 1; i <= 2; i++) {
		int tid = thr_create(child, (void *)i);
		assert(tid > 0);
		assert(thr_join(tid, &status) == 0);
		assert(status == (void *)i);
	}
	return 0;
}
