/* Double-checked initialisation: right on x86, where stores are seen in order. */
#include "memory.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int value, *volatile made;
static void *use(void *a)
{
	if (!made) {
		pthread_mutex_lock(&m);
		if (!made) {
			value = 1;
			made = &value;
		}
		pthread_mutex_unlock(&m);
	}
	assert(*made == 1);
	return a;
}
int main(void) { two(use, use); }
