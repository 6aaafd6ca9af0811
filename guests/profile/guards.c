/* A lock and a panic of the program's own, which guards.yaml describes (docs/profiles.md). Both threads test whether the
 * account has enough, release the lock, and both take. The cure: hold the lock from the test to the change. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct { atomic_int held; } guard;
static guard account;
static volatile int balance = 10;

void guard_enter(int why, guard *g) { while (atomic_exchange(&g->held, 1)) sched_yield(); }
void guard_leave(guard *g) { atomic_store(&g->held, 0); }
void die(int status, const char *format, ...) { exit(status); }

void *take(void *arg)
{
	guard_enter(1, &account);
	int enough = balance >= 10;
	guard_leave(&account);
	guard_enter(2, &account);
	if (enough && (balance -= 10) < 0)
		die(3, "overdrawn by %d", -balance);
	guard_leave(&account);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, take, 0);
	pthread_create(&b, 0, take, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
