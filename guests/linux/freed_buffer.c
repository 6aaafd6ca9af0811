/* A text is found under the lock and written after: the thread that replaces it may have freed it. One preemption, in the writer,
   between the two. FIXED: it is written under the lock. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *volatile text;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void show(const char *p)
{
	if (p && write(1, p, 3) != 3)
		exit(1);
}

static void *writer(void *arg)
{
	pthread_mutex_lock(&lock);
	char *p = text;
#ifdef FIXED
	show(p);
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_unlock(&lock);
	show(p);
#endif
	return arg;
}

static void *closer(void *arg)
{
	pthread_mutex_lock(&lock);
	char *p = text;
	text = 0;
	pthread_mutex_unlock(&lock);
	free(p);
	return arg;
}

int main(void)
{
	text = malloc(4);
	memcpy(text, "ab\n", 4);
	pthread_t t, u;
	pthread_create(&t, 0, writer, 0);
	pthread_create(&u, 0, closer, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
