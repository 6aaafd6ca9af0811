/* Money is moved between accounts under a lock: their sum is the same whenever the lock is
 * free. The fault: one thread moves it in two critical sections. The cure: one. */
#include <pthread.h>
#include "landgo-linux.h"

static int account[2] = {50, 50};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
LANDGO_CONDITION(none_lost, account[0] + account[1] == 100)

static void *move(void *a)
{
	pthread_mutex_lock(&m);
	account[0] -= 10;
#ifndef FIXED
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	account[1] += 10;
	pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t;
	landgo_always_when(none_lost, 0, &m);
	pthread_create(&t, 0, move, 0);
	pthread_mutex_lock(&m);
	account[0] += 5;
	account[1] -= 5;
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return 0;
}
