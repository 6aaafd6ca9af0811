// expect: bug stack-use-after-end  a semaphore on the creator's stack, posted after it has returned (dead stack)
#include "common.h"
static sem_t *volatile where;
static void*b(void*p){
	sem_post(p);
	return 0;
}
static void*a(void*p){
	sem_t s;
	sem_init(&s,0,0);
	pthread_t t;
	pthread_create(&t,0,b,&s);
	pthread_detach(t);
	return 0;
}
int main(void) {
	both(a, 0);
	sleep(1);
	return 0;
}
