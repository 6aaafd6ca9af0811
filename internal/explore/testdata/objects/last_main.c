// expect: verified (main is always last)
#include "common.h"
static pthread_t me;
static void h(void){
	if(!pthread_equal(me,pthread_self())) _exit(3);
}
static void*a(void*p){
	return p;
}
int main(void) {
	pthread_t p;
	me=pthread_self();
	atexit(h);
	pthread_create(&p,0,a,0);
	pthread_join(p,0) ;
	pthread_exit(0);
}
