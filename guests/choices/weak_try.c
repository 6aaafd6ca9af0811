/* C11's mtx_trylock may fail though the mutex is free (--faults trylock=1). FIXED: it is tried again. */
#include <assert.h>
#include <threads.h>

mtx_t m;
int n;

static int work(void *a)
{
	(void)a;
	mtx_lock(&m);
	n++;
	mtx_unlock(&m);
	return 0;
}

int main(void)
{
	thrd_t t;
	mtx_init(&m, mtx_plain);
	thrd_create(&t, work, 0);
	thrd_join(t, 0);
#ifdef FIXED
	while (mtx_trylock(&m) != thrd_success)
		thrd_yield();
#else
	assert(mtx_trylock(&m) == thrd_success);
#endif
	mtx_unlock(&m);
	return 0;
}
