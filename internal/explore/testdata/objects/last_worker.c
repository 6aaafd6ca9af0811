// expect: bug assertion  (worker can be last; worker must not be)
#include "common.h"
static pthread_t me;
static volatile int n;
static void h(void){
	if(pthread_equal(me,pthread_self())) _exit(3);
}
static void*a(void*p){
	n++;
	return p;
}
int main(void) {
	pthread_t p;
	me=pthread_self();
	atexit(h);
	pthread_create(&p,0,a,0);
	pthread_exit(0);
}
