// expect: verified  PREFER_WRITER_NP alone lets readers go on
// only: gcc
#include "common.h"
static pthread_rwlock_t l;
static void *writer(void *p) {
	pthread_rwlock_wrlock(&l);
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
	pthread_rwlockattr_t a;
	pthread_rwlockattr_init(&a);
	pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NP);
	pthread_rwlock_init(&l, &a);
	both(writer, reader);
	return 0;
}
