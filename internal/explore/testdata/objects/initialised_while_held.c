// expect: bug lock-misuse  initialised again while another thread holds it
#include "common.h"
static pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;
static int x;
static _Atomic int in;
static void*a(void*p){
	pthread_mutex_lock(&m);
	assert(in++==0);
	in--;
	pthread_mutex_unlock(&m);
	return p;
}
static void*b(void*p){
	m=(pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&m);
	assert(in++==0);
	in--;
	pthread_mutex_unlock(&m);
	return p;
}
int main(void) {
	both(a, b);
	return 0;
}
