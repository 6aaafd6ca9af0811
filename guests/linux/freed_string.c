/* A text is found under the lock and printed after: the thread that replaces it may have freed it. It is printf that reads it. One
   preemption, in the printer, between the two. FIXED: it is printed under the lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *volatile text;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void show(const char *p)
{
	if (p)
		printf("text: %s\n", p);
}

static void *printer(void *arg)
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
	text = malloc(6);
	strcpy(text, "hello");
	pthread_t t, u;
	pthread_create(&t, 0, printer, 0);
	pthread_create(&u, 0, closer, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
