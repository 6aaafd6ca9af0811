/* A lost update by x++, which gcc makes one instruction with two accesses (addl $1, x). x is
 * plain, because gcc takes a volatile one through a register, as lost_update does. One
 * preemption, inside that instruction. FIXED: an atomic addition. */
#include <assert.h>
#include <pthread.h>

int x;

static void *add(void *a)
{
#ifdef FIXED
	__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
#else
	x++;
#endif
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, add, 0);
	pthread_create(&u, 0, add, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(x == 2);
	return 0;
}
