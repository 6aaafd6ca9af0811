// expect: bug assertion  : key destructor before atexit in the last thread
#include "common.h"
static pthread_key_t k;
static volatile int d;
static void kd(void*p){
	d++;
}
static void h(void){
	if(d==1) _exit(3);
}
static void*a(void*p){
	pthread_setspecific(k,&k);
	return p;
}
int main(void) {
	pthread_t p;
	pthread_key_create(&k,kd);
	atexit(h);
	pthread_create(&p,0,a,0);
	pthread_exit(0);
}
