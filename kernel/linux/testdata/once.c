/* once */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_once_t o = PTHREAD_ONCE_INIT;
static int n;

static void init(void)
{
	usleep(10);
	n++;
}

static void *child(void *arg)
{
	pthread_once(&o, init);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, child, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", n);
	return 0;
}
