// expect: bug assertion  a race between re-initialising and locking: once may run twice
#include "common.h"
static pthread_once_t o=PTHREAD_ONCE_INIT;
static _Atomic int n;
static void f(void){
	n++;
}
static void*a(void*p){
	pthread_once(&o,f);
	return p;
}
static void*b(void*p){
	o=PTHREAD_ONCE_INIT;
	pthread_once(&o,f);
	return p;
}
int main(void) {
	both(a, b);
	assert(n<2);
	return 0;
}
