/* The thesis's account: one thread pays in, one takes out, one audits, each in one critical section. The thesis doesn't
 * say more; so a trace is an order of the three sections, and there are six, as in its table. */
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance = 10, paid_in, taken_out;
void *pay_in(void *a)
{
	(void)a;
	pthread_mutex_lock(&m);
	balance += 3;
	paid_in = 1;
	pthread_mutex_unlock(&m);
	return 0;
}
void *take_out(void *a)
{
	(void)a;
	pthread_mutex_lock(&m);
	balance -= 4;
	taken_out = 1;
	pthread_mutex_unlock(&m);
	return 0;
}
void *audit(void *a)
{
	(void)a;
	pthread_mutex_lock(&m);
	assert(balance == 10 + 3 * paid_in - 4 * taken_out);
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, pay_in, 0);
	pthread_create(&t[1], 0, take_out, 0);
	pthread_create(&t[2], 0, audit, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	return 0;
}
