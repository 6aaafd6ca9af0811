// expect: bug assertion  cancellation, handler and key destructors
#include "common.h"
static pthread_key_t k;
static volatile int d;
static void kd(void*p){
	d=1;
}
static void h(void){
	if(d) abort();
}
static void*a(void*p){
	pthread_setspecific(k,&k);
	for(;;) pause();
	return p;
}
int main(void) {
	pthread_t p;
	atexit(h);
	pthread_key_create(&k,kd);
	pthread_create(&p,0,a,0);
	pthread_cancel(p);
	pthread_join(p,0);
	return 0;
}
