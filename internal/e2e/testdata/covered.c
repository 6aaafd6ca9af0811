#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int frozen, refused;

static int audit(int n)
{                               /* never */
	if (n > 1000)           /* never */
		return -1;      /* never */
	return n * 2;           /* never */
}                               /* never */

static void *pay(void *p)
{
	pthread_mutex_lock(&m);
	if (frozen) {           /* run */
		refused++;      /* run: if the other thread is first */
		pthread_mutex_unlock(&m); /* run */
		return NULL;    /* run */
	}
	if (refused) {          /* run */
		refused += 2;   /* never */
		abort();        /* never */
	}
	pthread_mutex_unlock(&m); /* run */
	return p;               /* run */
}

static void *freeze(void *p)
{
	pthread_mutex_lock(&m); /* run */
	frozen = 1;             /* run */
	pthread_mutex_unlock(&m); /* run */
	return p;               /* run */
}

static void *stuck(void *p)
{
	pthread_mutex_lock(&m); /* run */
	pthread_mutex_lock(&m); /* run: for ever */
	frozen = 2;             /* never */
	pthread_mutex_unlock(&m); /* never */
	return p;               /* never */
}

int main(int argc, char **argv)
{
	pthread_t t, u;
	(void)argv;
	pthread_create(&t, 0, pay, 0); /* run */
	pthread_create(&u, 0, argc > 1 ? stuck : freeze, 0);
	pthread_join(t, 0);     /* run */
	pthread_join(u, 0);     /* run */
	if (frozen > 2)         /* run, but with stuck */
		return audit(frozen); /* never */
	return 0;
}
