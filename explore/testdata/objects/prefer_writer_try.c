// expect: bug assertion  a try for reading fails where a writer waits
// only: gcc
#include "common.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static void *writer(void *p) {
	pthread_rwlock_wrlock(&l);
	pthread_rwlock_unlock(&l);
	return p;
}
static void *reader(void *p) {
	pthread_rwlock_rdlock(&l);
	assert(pthread_rwlock_tryrdlock(&l) == 0);
	pthread_rwlock_unlock(&l);
	pthread_rwlock_unlock(&l);
	return p;
}
int main(void) {
	both(writer, reader);
	return 0;
}
