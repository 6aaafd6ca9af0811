/* Uses every function that the pthread profile gives a role to and that both
 * glibc and musl have. It is linked and looked at, never run. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>
#include <malloc.h>

pthread_mutex_t mutex;
pthread_cond_t cond;
pthread_rwlock_t rwlock;
pthread_spinlock_t spin;
pthread_barrier_t barrier;
pthread_once_t once;
pthread_key_t key;
sem_t sem;
mtx_t mtx;
cnd_t cnd;
once_flag flag = ONCE_FLAG_INIT;
struct timespec soon;

static void nothing(void) {}

static void locks(void)
{
	pthread_mutex_init(&mutex, 0);
	pthread_mutex_lock(&mutex);
	pthread_mutex_trylock(&mutex);
	pthread_mutex_timedlock(&mutex, &soon);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_destroy(&mutex);
	pthread_rwlock_init(&rwlock, 0);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_tryrdlock(&rwlock);
	pthread_rwlock_timedrdlock(&rwlock, &soon);
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_trywrlock(&rwlock);
	pthread_rwlock_timedwrlock(&rwlock, &soon);
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_destroy(&rwlock);
	pthread_spin_init(&spin, 0);
	pthread_spin_lock(&spin);
	pthread_spin_trylock(&spin);
	pthread_spin_unlock(&spin);
	pthread_spin_destroy(&spin);
}

static void waiting(void)
{
	int value;

	pthread_cond_init(&cond, 0);
	pthread_cond_wait(&cond, &mutex);
	pthread_cond_timedwait(&cond, &mutex, &soon);
	pthread_cond_signal(&cond);
	pthread_cond_broadcast(&cond);
	pthread_cond_destroy(&cond);
	sem_init(&sem, 0, 0);
	sem_wait(&sem);
	sem_trywait(&sem);
	sem_timedwait(&sem, &soon);
	sem_post(&sem);
	sem_getvalue(&sem, &value);
	sem_destroy(&sem);
	pthread_barrier_init(&barrier, 0, 2);
	pthread_barrier_wait(&barrier);
	pthread_barrier_destroy(&barrier);
	pthread_once(&once, nothing);
}

static int c11(void *arg)
{
	mtx_init(&mtx, mtx_plain);
	mtx_lock(&mtx);
	mtx_trylock(&mtx);
	mtx_timedlock(&mtx, &soon);
	mtx_unlock(&mtx);
	mtx_destroy(&mtx);
	cnd_init(&cnd);
	cnd_wait(&cnd, &mtx);
	cnd_timedwait(&cnd, &mtx, &soon);
	cnd_signal(&cnd);
	cnd_broadcast(&cnd);
	cnd_destroy(&cnd);
	call_once(&flag, nothing);
	thrd_yield();
	thrd_sleep(&soon, 0);
	thrd_exit(0);
	return arg != 0;
}

static void *threads(void *arg)
{
	pthread_t t;
	thrd_t u;

	pthread_create(&t, 0, threads, arg);
	pthread_tryjoin_np(t, 0);
	pthread_timedjoin_np(t, 0, &soon);
	pthread_join(t, 0);
	pthread_detach(t);
	pthread_cancel(t);
	pthread_key_create(&key, 0);
	sched_yield();
	sleep(0);
	thrd_create(&u, c11, arg);
	thrd_join(u, 0);
	thrd_detach(u);
	pthread_exit(arg);
}

static void heap(void)
{
	void *p = malloc(1);

	posix_memalign(&p, 64, 64);
	p = realloc(p, 2);
	printf("%zu %p\n", malloc_usable_size(p), calloc(1, 1));
	puts("a line");
	fputs("text", stdout);
	fwrite("text", 1, 4, stdout);
	putchar('x');
	fflush(stdout);
	free(p);
	free(aligned_alloc(64, 64));
}

int main(int argc, char **argv)
{
	atexit(nothing);
	locks();
	waiting();
	heap();
	assert(argc > 0);
	if (argc > 1)
		abort();
	if (argc > 2)
		exit(argc);
	threads(argv);
}
