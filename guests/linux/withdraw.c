/* Atomicity violation: every access is locked, but the check and the act are two critical sections.
 * One preemption, between them. FIXED: one critical section. */
#include <assert.h>
#include <pthread.h>

volatile int balance = 10;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *withdraw(void *a)
{
	pthread_mutex_lock(&m);
	if (balance >= 6) {
#ifndef FIXED
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
#endif
		balance = balance - 6;
	}
	pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, withdraw, 0);
	pthread_create(&u, 0, withdraw, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(balance >= 0);
	return 0;
}
