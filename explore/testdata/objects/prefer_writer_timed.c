// expect: verified  readers go on when the writer gives up; two readers and a writer
// only: gcc
#include "common.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static void *writer(void *p) {
	struct timespec t = {1, 0};
	int r = pthread_rwlock_timedwrlock(&l, &t);
	assert(r == 0 || r == ETIMEDOUT);
	if (!r)
		pthread_rwlock_unlock(&l);
	return p;
}
static void *reader(void *p) {
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_unlock(&l);
	pthread_rwlock_unlock(&l);
	return p;
}
int main(void) {
	both(writer, reader);
	return 0;
}
