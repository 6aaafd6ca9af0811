// expect: bug assertion  plain read of a semaphore's bytes (glibc/musl: value first) races with post
#include "common.h"
static sem_t s;
static volatile int seen;
static void*a(void*p){
	sem_post(&s);
	return p;
}
static void*b(void*p){
	seen=*(volatile int*)&s;
	return p;
}
int main(void) {
	sem_init(&s,0,0);
	both(a, b);
	assert(seen==0);
	return 0;
}
