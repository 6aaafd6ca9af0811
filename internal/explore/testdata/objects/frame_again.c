// expect: verified  a lock left held in a frame that is gone; the frame used again
#include "common.h"
__attribute__((noinline)) static void f(void){
	pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;
	assert(pthread_mutex_lock(&m)==0);
	assert(pthread_mutex_trylock(&m)==EBUSY);
}
int main(void){
	f();
	f();
	return 0;
}
