/* attributes: stack of the first thread and of others, names, processors */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sched.h>
#include <string.h>

static void *child(void *arg)
{
	pthread_attr_t a;
	void *base;
	size_t size;
	char here, name[16];
	pthread_getattr_np(pthread_self(), &a);
	pthread_attr_getstack(&a, &base, &size);
	printf("%d\n", &here > (char *)base && &here < (char *)base + size);
	pthread_setname_np(pthread_self(), "worker");
	pthread_getname_np(pthread_self(), name, sizeof name);
	printf("%s\n", name);
	return NULL;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;
	void *base;
	size_t size;
	char here;
	struct sched_param p;
	int policy;
	pthread_getattr_np(pthread_self(), &a);
	pthread_attr_getstack(&a, &base, &size);
	printf("%d\n", &here > (char *)base && &here < (char *)base + size);
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 1 << 16);
	pthread_create(&t, &a, child, NULL);
	pthread_join(t, NULL);
	pthread_getschedparam(pthread_self(), &policy, &p);
	printf("%d %d %d\n", policy, p.sched_priority, sysconf(_SC_NPROCESSORS_ONLN) > 0);
	sched_yield();
	return 0;
}
