// expect: bug assertion  a thread_local-free C program: quick_exit handler with a timed lock
#include "common.h"
static pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;
static void h(void){
	abort();
}
static void*a(void*p){
	struct timespec t={1,0};
	if(pthread_mutex_timedlock(&m,&t)==0) pthread_mutex_unlock(&m);
	return p;
}
int main(void) {
	pthread_t p;
	at_quick_exit(h);
	pthread_create(&p,0,a,0);
	pthread_join(p,0) ;
	quick_exit(0);
}
