// expect: bug deadlock  recursive mutex held twice in cond_wait: the signaller that needs it never gets it
#include "common.h"
static pthread_mutex_t m;
static pthread_cond_t c;
static int go;
static void*a(void*p){
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
	while(!go) pthread_cond_wait(&c,&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&m);
	return p;
}
static void*b(void*p){
	pthread_mutex_lock(&m);
	go=1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return p;
}
int main(void) {
	pthread_mutexattr_t t;
	pthread_mutexattr_init(&t);
	pthread_mutexattr_settype(&t,PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m,&t);
	both(a, b);
	return 0;
}
