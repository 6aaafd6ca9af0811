// expect: bug lock-misuse  a copy of a locked mutex is locked
#include "common.h"
struct s {
	pthread_mutex_t m;
	int v;
}
g={PTHREAD_MUTEX_INITIALIZER,1};
static void*a(void*p){
	struct s c;
	pthread_mutex_lock(&g.m);
	c=g;
	pthread_mutex_unlock(&g.m);
	pthread_mutex_lock(&c.m);
	return p;
}
int main(void) {
	both(a, a);
	return 0;
}
