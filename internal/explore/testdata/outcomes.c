/* Calls whose result, or whether they are a bug, is up to the order. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static unsigned word;
static pthread_t first;
static const struct timespec past = {1, 0};
static volatile int seen[2];
static int kind;

static int futex(int op) { return syscall(SYS_futex, &word, op, 0, 0, 0, 0); }

static void *one(void *a) {
	switch (kind) {
	case 0: /* one of two gets it, the other's time runs out */
		seen[0] = sem_timedwait(&sem, &past);
		break;
	case 2: /* failing calls on a lock of one's own leave it as it is */
		futex(FUTEX_LOCK_PI);
		futex(FUTEX_LOCK_PI);
		futex(FUTEX_UNLOCK_PI);
		futex(FUTEX_UNLOCK_PI);
		break;
	case 3: case 4:
		pthread_mutex_lock(&mutex);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		seen[0] = pthread_mutex_unlock(&mutex);
		break;
	case 5:
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		break;
	case 6:
		sem_wait(&sem);
		break;
	case 8:
		pthread_mutex_lock(&mutex);
		if (pthread_mutex_timedlock(&second, &past) == 0)
			pthread_mutex_unlock(&second);
		pthread_mutex_unlock(&mutex);
		break;
	}
	return a;
}

static void *other(void *a) {
	switch (kind) {
	case 0: seen[1] = sem_timedwait(&sem, &past); break;
	case 1: seen[1] = pthread_tryjoin_np(first, 0); break;
	case 2:
		if ((seen[1] = futex(FUTEX_TRYLOCK_PI)) == 0)
			futex(FUTEX_UNLOCK_PI);
		break;
	case 3: case 4:
		if ((seen[1] = pthread_mutex_trylock(&mutex)) == 0)
			pthread_mutex_unlock(&mutex);
		break;
	case 5: pthread_mutex_destroy(&mutex); break;
	case 6: sem_destroy(&sem); break;
	case 8:
		pthread_mutex_lock(&second);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		pthread_mutex_unlock(&second);
		break;
	}
	return a;
}

int main(int n, char **arg) {
	pthread_t t;
	kind = n > 1 ? atoi(arg[1]) : 0;
	sem_init(&sem, 0, 1);
	pthread_mutexattr_t type;
	pthread_mutexattr_init(&type);
	if (kind == 3 || kind == 4) {
		pthread_mutexattr_settype(&type, kind == 3 ? PTHREAD_MUTEX_ERRORCHECK : PTHREAD_MUTEX_RECURSIVE);
		pthread_mutex_init(&mutex, &type);
	}
	pthread_create(&first, 0, one, 0);
	pthread_create(&t, 0, other, 0);
	if (kind == 8) /* a cycle of waits, but one of them is going to end */
		return 0;
	pthread_join(t, 0);
	if (kind != 1)
		pthread_join(first, 0);
	if (kind == 7) /* one object after the other at one address */
		for (int i = 0; i < 2; i++) {
			mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
			pthread_mutex_lock(&mutex);
			pthread_mutex_unlock(&mutex);
			pthread_mutex_destroy(&mutex);
		}
	return 0;
}
