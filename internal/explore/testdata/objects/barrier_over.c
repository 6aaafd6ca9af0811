// expect: verified  barrier on a stack frame left by the serial thread, memory used again
#include "common.h"
static pthread_barrier_t b;
static int n;
static void*a(void*p){
	if(pthread_barrier_wait(&b)==PTHREAD_BARRIER_SERIAL_THREAD){
		pthread_barrier_destroy(&b);
		memset(&b,0x55,sizeof b);
	}
	return p;
}
int main(void) {
	pthread_barrier_init(&b,0,2);
	both(a, a);
	return 0;
}
