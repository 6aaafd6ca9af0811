// expect: bug lock-misuse  stored to before memory is known as shared: thread b clears a static lock's memory
#include "common.h"
static struct {
	pthread_mutex_t m;
} s;
static volatile int in;
static void*a(void*p){
	pthread_mutex_lock(&s.m);
	in=1;
	in=0;
	pthread_mutex_unlock(&s.m);
	return p;
}
static void*b(void*p){
	memset(&s,0,sizeof s);
	pthread_mutex_lock(&s.m);
	assert(!in);
	pthread_mutex_unlock(&s.m);
	return p;
}
int main(void) {
	both(a, b);
	return 0;
}
