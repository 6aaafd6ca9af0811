/* Programs that keep landgo at one thing for long: an execution (LONG), a step (COMPUTE), system
 * calls (PROTECT), fresh memory (TOUCH). REFINE has a bug whose shorter interleaving is looked
 * for in a large space. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static atomic_int a, x;
static volatile int c;

static void *work(void *arg)
{
#if defined LONG
	for (int i = 0; i < 1000000; i++)
		c++;
#elif defined COMPUTE
	for (volatile unsigned long i = 0; i < 1ul << 40; i++)
		;
#elif defined PROTECT
	char *p = mmap(0, 1ul << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0;; i++)
		mprotect(p, 1ul << 30, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE);
#elif defined TOUCH
	for (;;) {
		char *p = mmap(0, 1ul << 26, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			break;
		for (unsigned long i = 0; i < 1ul << 26; i += 4096)
			((volatile char *)p)[i] = 1;
	}
#elif defined REFINE
	for (int i = 0; i < 40; i++) {
		x++;
		a++;
		x--;
	}
#endif
	return arg;
}

int main(void)
{
	pthread_t t[3];
	int seen = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 6; i++)
		seen += x == i % 3;
	assert(seen < 5);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
