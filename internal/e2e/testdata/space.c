/* Programs that ask much of the guest's addresses: a block of 40 MB in each thread (BIG),
 * pointers kept in 32 bits (LOW). CHAIN is a chain of 64 creations with a thread beside each
 * link. WIDE has 250 children of a thread that another one made. PAGES is a mapping that goes
 * page by page. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void must(int ok)
{
	if (!ok)
		abort();
}

static void *idle(void *arg) { return arg; }

static void create(void *(*f)(void *), long n)
{
	pthread_t t;
	must(!pthread_create(&t, 0, f, (void *)n));
	pthread_join(t, 0);
}

static void *work(void *arg)
{
	long n = (long)arg;
#if defined BIG
	for (long size = 40 * 1000 * 1000; size < 300 * 1000 * 1000; size *= 5) {
		char *p = malloc(size);
		must(p != 0);
		p[0] = 1, p[size - 1] = 2;
		free(p);
	}
	if (n < 6)
		create(work, n + 3);
#elif defined CHAIN
	create(idle, 0);
	if (n < 64)
		create(work, n + 1);
#elif defined WIDE
	if (n < 3)
		create(work, n + 1);
	else
		for (int i = 0; i < 250; i++)
			create(idle, 0);
#endif
	return arg;
}

int main(void)
{
#if defined LOW
	for (int i = 0; i < 100; i++) {
		unsigned low = (unsigned long)malloc(100 << i % 10);
		memset((char *)(unsigned long)low, 1, 100);
		if (i % 3)
			free((char *)(unsigned long)low);
	}
#elif defined PAGES
	const long pages = 100000;
	char *p = mmap(0, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (long i = 0; i < pages; i += 2)
		munmap(p + i * 4096, 4096);
#endif
	create(work, 0);
	return 0;
}
