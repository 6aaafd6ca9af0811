// expect: verified  rwlock re-initialised; prefers then doesn't
#include "common.h"
static pthread_rwlock_t l;
static void*a(void*p){
	for(int i=0;i<2;i++){
		l=(pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
		assert(pthread_rwlock_rdlock(&l)==0&&pthread_rwlock_rdlock(&l)==0);
		assert(pthread_rwlock_trywrlock(&l)==EBUSY);
		pthread_rwlock_unlock(&l);
		pthread_rwlock_unlock(&l);
		assert(pthread_rwlock_wrlock(&l)==0);
		memset(&l,0,0);
		pthread_rwlock_unlock(&l);
	}
	return p;
}
int main(void) {
	both(a, 0);
	return 0;
}
