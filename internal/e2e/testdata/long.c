/* A space that no test lives to see the end of. With -DBUG its first
   interleaving has a bug. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a;

static void *add(void *arg)
{
	long seen = 0; // what is counted without being used commutes
	for (int i = 0; i < 20; i++)
		seen += a++;
	return (void *)seen;
}

int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, add, 0);
#ifdef BUG
	assert(a > 0);
#endif
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	return 0;
}
