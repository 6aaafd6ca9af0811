// expect: bug lock-misuse  memset of a condition variable that a thread waits on (hangs)
#include "common.h"
static pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c=PTHREAD_COND_INITIALIZER;
static int ready;
static void*a(void*p){
	pthread_mutex_lock(&m);
	while(!ready) pthread_cond_wait(&c,&m);
	pthread_mutex_unlock(&m);
	return p;
}
static void*b(void*p){
	pthread_mutex_lock(&m);
	memset(&c,0,sizeof c);
	ready=1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return p;
}
int main(void) {
	both(a, b);
	return 0;
}
