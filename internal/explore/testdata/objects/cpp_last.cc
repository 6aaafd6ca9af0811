// expect: bug assertion  : static destructor in the last thread sees n == 1
#include <pthread.h>
#include <unistd.h>
static volatile int n;
struct S {
	~S() {
		if (n == 1) _exit(3);
	}
} s;
static void*a(void*p){
	n = 1;
	return p;
}
int main(){
	pthread_t p;
	pthread_create(&p,0,a,0);
	pthread_exit(0);
}
