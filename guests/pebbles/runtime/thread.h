/* The thread library that students write for Pebbles: the interface. A library
 * brings its own types.h, which defines mutex_t, cond_t, sem_t and rwlock_t.
 * Functions with an int result return a negative number when they fail.
 */
#ifndef THREAD_H
#define THREAD_H

#include <stddef.h>
#include "types.h"

/* Once, before anything else, by the first thread: the size of stacks. */
int thr_init(unsigned size);
int thr_create(void *(*func)(void *), void *arg);
/* One thread joins each thread; then its stack and its id are gone. */
int thr_join(int tid, void **status);
void thr_exit(void *status) __attribute__((noreturn));
int thr_getid(void);
int thr_yield(int tid);

int mutex_init(mutex_t *m);
void mutex_destroy(mutex_t *m);
void mutex_lock(mutex_t *m);
void mutex_unlock(mutex_t *m);

int cond_init(cond_t *c);
void cond_destroy(cond_t *c);
void cond_wait(cond_t *c, mutex_t *m);
void cond_signal(cond_t *c);
void cond_broadcast(cond_t *c);

int sem_init(sem_t *s, int count);
void sem_destroy(sem_t *s);
void sem_wait(sem_t *s);
void sem_signal(sem_t *s);

#define RWLOCK_READ 0
#define RWLOCK_WRITE 1
int rwlock_init(rwlock_t *l);
void rwlock_destroy(rwlock_t *l);
void rwlock_lock(rwlock_t *l, int type);
void rwlock_unlock(rwlock_t *l);
void rwlock_downgrade(rwlock_t *l);

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *p, size_t size);
void free(void *p);

#endif
