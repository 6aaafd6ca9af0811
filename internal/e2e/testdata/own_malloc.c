/* An allocator of the program's own, with a lost update in it; -DFIXED has it under a lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static char pool[1 << 20];
static volatile size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *malloc(size_t n)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	size_t at = used;
	used = at + ((n + 15) & ~(size_t)15);
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	(void)lock;
	return pool + at;
}

void free(void *p) { (void)p; }
void *calloc(size_t n, size_t size) { return malloc(n * size); }
void *realloc(void *p, size_t n) { (void)p; return malloc(n); }

static char *volatile mine[2];

static void *take(void *arg)
{
	mine[(size_t)arg] = malloc(16);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, take, (void *)0);
	pthread_create(&u, 0, take, (void *)1);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(mine[0] != mine[1]);
	return 0;
}
