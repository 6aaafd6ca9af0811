// expect: verified  pages are mapped over a mutex that is held: what is there next is new
#include "common.h"
static void *a(void *p) {
	void *at = 0;
	pthread_mutex_t *m = 0;
	for (int i = 0; i < 3; i++) {
		m = at = mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
		assert(pthread_mutex_trylock(m) == 0);
	}
	pthread_mutex_unlock(m);
	return p;
}
int main(void) {
	both(a, 0);
	return 0;
}
