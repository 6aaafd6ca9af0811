// expect: bug assertion  robust mutex and a C++ static's destructor
#include <pthread.h>
#include <cstdlib>
static struct S {
	~S() {
		abort();
	}
} s;
static pthread_mutex_t m;
static void*a(void*p){
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return p;
}
int main(){
	pthread_mutexattr_t t;
	pthread_mutexattr_init(&t);
	pthread_mutexattr_setrobust(&t,PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m,&t);
	pthread_t p;
	pthread_create(&p,0,a,0);
	pthread_join(p,0) ;
}
