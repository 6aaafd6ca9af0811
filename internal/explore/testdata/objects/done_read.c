// expect: bug assertion  plain read of a once flag's fast path sees 2 once done
#include "common.h"
static pthread_once_t o=PTHREAD_ONCE_INIT;
static int n;
static void f(void){
	n=1;
}
static void*a(void*p){
	pthread_once(&o,f);
	return p;
}
static void*b(void*p){
	if(*(volatile int*)&o==2) assert(0);
	return p;
}
int main(void) {
	both(a, b);
	return 0;
}
