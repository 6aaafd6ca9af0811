/* Calls each function on synchronisation objects in all the ways that one thread can fail
 * in. Built without WANT it prints what each call returns, and errno; built with those
 * figures as WANT it compares. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>
static struct timespec past = {1, 0}, bad = {1, 2000000000};
static pthread_mutex_t m[4]; static pthread_rwlock_t l; static pthread_cond_t c; static sem_t s; static pthread_barrier_t b; static pthread_spinlock_t sp; static mtx_t mt; static pthread_once_t o; static int ran;
static void f(void) { ran++; }
static int at;
#ifdef WANT
#include <stdlib.h>
static const int want[] = {WANT};
static void check(const char *call, int r, int e) {
	if (want[at] != r || want[at + 1] != e) {
		fprintf(stderr, "%s: %d, errno %d, not %d, %d\n", call, r, e, want[at], want[at + 1]);
		abort();
	}
	at += 2;
}
#else
static void check(const char *call, int r, int e) {
	at += 2;
	printf("%d,%d,", r, e);
	fprintf(stderr, "%s: %d, errno %d\n", call, r, e);
}
#endif
#define P(x) do { errno = 0; int r = (x); check(#x, r, errno); } while (0)
#define V(v) check(#v, v, 0)
static void *calls(void *p) {
	pthread_mutexattr_t a; pthread_mutexattr_init(&a);
	for (int k = 0; k < 3; k++) { pthread_mutexattr_settype(&a, k);
	P(pthread_mutex_init(&m[k], &a)); }
	for (int k = 0; k < 3; k++) {
		if (k) P(pthread_mutex_unlock(&m[k]));
		P(pthread_mutex_timedlock(&m[k], &bad));
	P(pthread_mutex_trylock(&m[k]));
		if (k) P(pthread_mutex_lock(&m[k]));
		P(pthread_mutex_timedlock(&m[k], &past));
	P(pthread_mutex_timedlock(&m[k], &bad));
		P(pthread_cond_timedwait(&c, &m[k], &bad));
	P(pthread_cond_timedwait(&c, &m[k], &past));
		P(pthread_mutex_unlock(&m[k]));
		if (k) { P(pthread_mutex_unlock(&m[k]));
	P(pthread_mutex_unlock(&m[k]));
	P(pthread_mutex_unlock(&m[k]));
	P(pthread_mutex_unlock(&m[k]));
			P(pthread_cond_wait(&c, &m[k]));
	P(pthread_cond_timedwait(&c, &m[k], &past)); }
		P(pthread_mutex_destroy(&m[k]));
	}
	P(pthread_rwlock_init(&l, 0));
	P(pthread_rwlock_rdlock(&l));
	P(pthread_rwlock_rdlock(&l));
	P(pthread_rwlock_tryrdlock(&l));
	P(pthread_rwlock_trywrlock(&l));
	P(pthread_rwlock_timedwrlock(&l, &past));
	P(pthread_rwlock_timedwrlock(&l, &bad));
	P(pthread_rwlock_timedrdlock(&l, &bad));
	P(pthread_rwlock_timedrdlock(&l, &past));
	for (int k = 0; k < 4; k++) P(pthread_rwlock_unlock(&l));
#ifndef __GLIBC__
	P(pthread_rwlock_unlock(&l));
#endif
	P(pthread_rwlock_wrlock(&l));
	P(pthread_rwlock_trywrlock(&l));
	P(pthread_rwlock_tryrdlock(&l));
	P(pthread_rwlock_timedwrlock(&l, &past));
	P(pthread_rwlock_timedrdlock(&l, &past));
	P(pthread_rwlock_timedwrlock(&l, &bad));
	P(pthread_rwlock_timedrdlock(&l, &bad));
#ifdef __GLIBC__
	P(pthread_rwlock_wrlock(&l));
	P(pthread_rwlock_rdlock(&l));
	P(pthread_mutex_clocklock(&m[3], 77, &past));
	P(pthread_cond_clockwait(&c, &m[3], 77, &past));
	P(sem_clockwait(&s, 77, &past));
	P(pthread_rwlock_clockrdlock(&l, 77, &past));
	P(pthread_rwlock_clockwrlock(&l, 77, &past));
	P(pthread_mutex_lock(&m[3]));
	P(pthread_mutex_clocklock(&m[3], CLOCK_MONOTONIC, &past));
	P(pthread_mutex_clocklock(&m[3], 77, &past));
	P(pthread_cond_clockwait(&c, &m[3], CLOCK_MONOTONIC, &past));
	P(pthread_mutex_unlock(&m[3]));
#endif
	P(pthread_rwlock_unlock(&l));
	P(pthread_rwlock_destroy(&l));
	P(sem_init(&s, 0, 0x80000000u));
	P(sem_init(&s, 0, 0x7fffffff));
	P(sem_post(&s)); int v;
	P(sem_getvalue(&s, &v));
	V(v);
	P(sem_trywait(&s));
	P(sem_post(&s));
	P(sem_post(&s));
	P(sem_getvalue(&s, &v));
	V(v);
	P(sem_init(&s, 0, 0));
	P(sem_trywait(&s));
	P(sem_timedwait(&s, &past));
	P(sem_timedwait(&s, &bad));
	P(sem_post(&s));
	P(sem_timedwait(&s, &bad));
	P(sem_getvalue(&s, &v));
	P(sem_destroy(&s));
	P(pthread_barrier_init(&b, 0, 0));
	P(pthread_barrier_init(&b, 0, 0x7fffffff));
	P(pthread_barrier_init(&b, 0, 0x80000000u));
	P(pthread_barrier_init(&b, 0, 0x7ffffffe));
	P(pthread_barrier_init(&b, 0, ~0u));
	P(pthread_barrier_init(&b, 0, 1));
	P(pthread_barrier_wait(&b));
	P(pthread_barrier_destroy(&b));
	P(pthread_spin_init(&sp, 0));
	P(pthread_spin_lock(&sp));
	P(pthread_spin_trylock(&sp));
	P(pthread_spin_unlock(&sp));
	P(pthread_spin_trylock(&sp));
	P(pthread_spin_unlock(&sp));
	P(pthread_spin_destroy(&sp));
	P(pthread_once(&o, f));
	P(pthread_once(&o, f));
	V(ran);
	P(mtx_init(&mt, mtx_plain));
	P(mtx_lock(&mt));
	P(mtx_trylock(&mt));
	P(mtx_unlock(&mt));
	P(mtx_trylock(&mt)); mtx_unlock(&mt);
	P(mtx_init(&mt, mtx_timed | mtx_recursive));
	P(mtx_lock(&mt));
	P(mtx_trylock(&mt));
	P(mtx_timedlock(&mt, &past)); mtx_unlock(&mt); mtx_unlock(&mt); mtx_unlock(&mt); mtx_destroy(&mt);
	P(mtx_init(&mt, mtx_timed));
	P(mtx_lock(&mt));
	P(mtx_timedlock(&mt, &past)); mtx_unlock(&mt);
	cnd_t cn;
	P(cnd_init(&cn));
	P(cnd_signal(&cn));
	P(mtx_lock(&mt));
	P(cnd_timedwait(&cn, &mt, &past));
	P(mtx_unlock(&mt)); cnd_destroy(&cn);
	return p;
}
int main(void) { pthread_t t; pthread_create(&t, 0, calls, 0); pthread_join(t, 0); return 0; }
