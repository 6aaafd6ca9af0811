// expect: verified  free of a held mutex and the block used again
#include "common.h"
static void*a(void*p){
	for(int i=0;i<3;i++){
		pthread_mutex_t*m=calloc(1,sizeof*m);
		pthread_mutex_lock(m);
		free(m);
	}
	return p;
}
int main(void) {
	both(a, a);
	return 0;
}
