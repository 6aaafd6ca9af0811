// The owner of a futex with priority inheritance ends without an unlock.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic unsigned word;

static void *owner(void *arg)
{
	word = (unsigned)syscall(SYS_gettid);
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, owner, NULL);
	long r = syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	printf("%d %d\n", r ? errno : 0, (word & FUTEX_OWNER_DIED) != 0);
	fflush(stdout);
	pthread_join(t, NULL);
	return 0;
}
