// expect: bug assertion  : handler registered by the worker after main is gone, perhaps
#include "common.h"
static void h(void){
	_exit(3);
}
static void*a(void*p){
	atexit(h);
	return p;
}
int main(void) {
	pthread_t p;
	pthread_create(&p,0,a,0);
	pthread_exit(0);
}
