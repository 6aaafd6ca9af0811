// expect: verified  once by assignment in an array of a struct, memset
#include "common.h"
struct s {
	int a;
	pthread_once_t o;
} v[2];
static int n;
static void f(void){
	n++;
}
static void*a(void*p){
	for(int i=0;i<3;i++){
		v[1]=(struct s){ 0, PTHREAD_ONCE_INIT };
		pthread_once(&v[1].o,f);
		pthread_once(&v[1].o,f);
	}
	assert(n==3);
	memset(v,0,sizeof v);
	pthread_once(&v[1].o,f);
	assert(n==4);
	return p;
}
int main(void) {
	both(a, 0);
	pthread_once(&v[1].o,f);
	assert(n==4);
	return 0;
}
