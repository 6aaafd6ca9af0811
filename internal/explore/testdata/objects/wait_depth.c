// expect: verified  a wait with a recursive mutex that is held twice gives it back once
#include "common.h"
static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *a(void *p) {
	struct timespec t = {1, 0};
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
	assert(pthread_cond_timedwait(&c, &m, &t) == ETIMEDOUT);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == EPERM);
	return p;
}
int main(void) {
	pthread_mutexattr_t t;
	pthread_mutexattr_init(&t);
	pthread_mutexattr_settype(&t, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &t);
	both(a, 0);
	return 0;
}
