// expect: verified  cond_wait with an error-checking mutex that isn't held: EPERM
#include "common.h"
static pthread_mutex_t m;
static pthread_cond_t c;
static void*a(void*p){
	assert(pthread_cond_wait(&c,&m)==EPERM);
	return p;
}
int main(void) {
	pthread_mutexattr_t t;
	pthread_mutexattr_init(&t);
	pthread_mutexattr_settype(&t,PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m,&t);
	both(a, a);
	return 0;
}
