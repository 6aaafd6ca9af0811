// expect: verified  semaphore re-initialised by memcpy of an initialised one; heap; value adopted
#include "common.h"
static void*a(void*p){
	sem_t t;
	sem_init(&t,0,2);
	sem_t *h=malloc(sizeof*h);
	memcpy(h,&t,sizeof t);
	assert(sem_trywait(h)==0&&sem_trywait(h)==0&&sem_trywait(h)==-1);
	memcpy(h,&t,sizeof t);
	assert(sem_trywait(h)==0);
	int v;
	sem_getvalue(h,&v);
	assert(v==1);
	free(h);
	return p;
}
int main(void) {
	both(a, a);
	return 0;
}
