// expect: verified  vector of mutexes that realloc moves; kinds kept
#include "common.h"
static void*a(void*p){
	pthread_mutexattr_t t;
	pthread_mutexattr_init(&t);
	pthread_mutexattr_settype(&t,PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_t*v=0;
	for(int n=1;n<6;n++){
		v=realloc(v,n*sizeof*v);
		if(n&1) pthread_mutex_init(v+n-1,&t);
		else v[n-1]=(pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
		for(int i=0;i<n;i++){
			assert(pthread_mutex_lock(v+i)==0);
			if(!(i&1)) assert(pthread_mutex_lock(v+i)==EDEADLK);
			assert(pthread_mutex_unlock(v+i)==0);
		}
	}
	free(v);
	return p;
}
int main(void) {
	both(a, a);
	return 0;
}
