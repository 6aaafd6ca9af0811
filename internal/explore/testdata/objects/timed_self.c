// expect: verified  a timed lock of a mutex that the thread holds runs out
#include "common.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void *a(void *p) {
	struct timespec t = {1, 0};
	pthread_mutex_lock(&m);
	assert(pthread_mutex_timedlock(&m, &t) == ETIMEDOUT);
	pthread_mutex_unlock(&m);
	pthread_rwlock_rdlock(&l);
	assert(pthread_rwlock_timedwrlock(&l, &t) == ETIMEDOUT);
	pthread_rwlock_unlock(&l);
	return p;
}
int main(void) {
	both(a, 0);
	return 0;
}
