// expect: bug deadlock  a recursive read lock, and a writer that waits since
// expect -DNP: verified  PREFER_WRITER_NP alone lets readers go on
// expect -DTIMED: verified  readers go on when the writer gives up; two readers and a writer
// expect -DTRY: bug assertion  a try for reading fails where a writer waits
// only: gcc
#include "common.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static void *writer(void *p) {
#ifdef TIMED
	struct timespec t = {1, 0};
	int r = pthread_rwlock_timedwrlock(&l, &t);
	assert(r == 0 || r == ETIMEDOUT);
	if (r)
		return p;
#else
	pthread_rwlock_wrlock(&l);
#endif
	pthread_rwlock_unlock(&l);
	return p;
}
static void *reader(void *p) {
#ifdef TRY
	assert(pthread_rwlock_tryrdlock(&l) == 0);
#else
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_unlock(&l);
#endif
	pthread_rwlock_unlock(&l);
	return p;
}
int main(void) {
#if !defined TIMED && !defined TRY
	pthread_rwlockattr_t a;
	pthread_rwlockattr_init(&a);
#ifdef NP
	pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NP);
#else
	pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
	pthread_rwlock_init(&l, &a);
#endif
	both(writer, reader);
	return 0;
}
