// An allocator of the program's own, over a static array, that only a profile
// (pool.yaml) tells landgo about; for linux, and for pebbles with a thread library.
// One thread uses a block as long as it is there, the other one gives it back.
// Each mistake is a switch; without one the program is right.
#ifdef PEBBLES
#include "pebbles.h"
#include "thread.h"
typedef mutex_t lock_t;
#define lock mutex_lock
#define unlock mutex_unlock
#else
#include <pthread.h>
#include <stdlib.h>
typedef pthread_mutex_t lock_t;
#define lock pthread_mutex_lock
#define unlock pthread_mutex_unlock
#endif

#define ALIGN 16
#define POOL_SIZE 256

// Blocks lie one after the other, each behind its header.
struct header {
	size_t size;
	size_t free;
};

struct pool {
	char *memory;
	lock_t lock;
	int ready;
};

static _Alignas(ALIGN) char pool_memory[POOL_SIZE];
static struct pool pool = { .memory = pool_memory };

static struct header *after(struct header *h)
{
	return (struct header *)((char *)h + ALIGN + h->size);
}

__attribute__((noinline)) void pool_init(struct pool *p)
{
	struct header *h = (struct header *)p->memory;
	h->size = POOL_SIZE - ALIGN;
	h->free = 1;
	p->ready = 1;
}

__attribute__((noinline)) void *pool_alloc(struct pool *p, size_t size)
{
	void *block = NULL;
	size = (size + ALIGN - 1) & -ALIGN;
#ifndef MISTAKE_NOLOCK
	lock(&p->lock);
#endif
	for (struct header *h = (struct header *)p->memory; (char *)h < p->memory + POOL_SIZE; h = after(h)) {
		if (!h->free || h->size < size)
			continue;
		if (h->size > size + ALIGN) {
			size_t rest = h->size - size - ALIGN;
			h->size = size;
			after(h)->size = rest;
			after(h)->free = 1;
		}
		h->free = 0;
		block = (char *)h + ALIGN;
		break;
	}
#ifndef MISTAKE_NOLOCK
	unlock(&p->lock);
#endif
	return block;
}

__attribute__((noinline)) void pool_free(struct pool *p, void *block)
{
	if (block == NULL)
		return;
	lock(&p->lock);
	((struct header *)((char *)block - ALIGN))->free = 1;
	unlock(&p->lock);
}

__attribute__((noinline)) void pool_reset(struct pool *p)
{
	lock(&p->lock);
	pool_init(p);
	unlock(&p->lock);
}

static lock_t guard;
static char *volatile shared;

static void *user(void *arg)
{
	(void)arg;
#ifdef MISTAKE_NOLOCK
	pool_alloc(&pool, 24);
	return NULL;
#endif
	lock(&guard);
	char *volatile p = shared;
#if defined MISTAKE_LATE || defined MISTAKE_DOUBLE
	unlock(&guard);
#endif
	if (p != NULL) {
#if defined MISTAKE_DOUBLE
		pool_free(&pool, p);
#elif defined MISTAKE_OVERFLOW
		p[24] = 1;
#elif defined MISTAKE_UNDERFLOW
		p[-1] = 1;
#else
		p[23] = 1;
#endif
	}
#if !defined MISTAKE_LATE && !defined MISTAKE_DOUBLE
	unlock(&guard);
#endif
	return NULL;
}

static void give_back(char *p)
{
#if defined MISTAKE_INTERIOR
	p += 8;
#endif
#if defined MISTAKE_WRONG
	free(p);
#elif defined MISTAKE_RESET
	pool_reset(&pool);
#else
	pool_free(&pool, p);
#endif
}

static int run(void)
{
	lock(&guard);
	char *p = shared;
	shared = NULL;
#ifdef MISTAKE_RESET
	unlock(&guard);
	give_back(p);
	p[0] = 1;
	return 0;
#endif
	unlock(&guard);
#ifdef MISTAKE_LOST
	pool_alloc(&pool, 8);
#endif
#ifdef MISTAKE_NOLOCK
	p = pool_alloc(&pool, 24);
#endif
	give_back(p);
#ifdef MISTAKE_FOREIGN
	pool_free(&pool, malloc(8));
#endif
#ifdef MISTAKE_UNSET
	char *volatile q = pool_alloc(&pool, 8);
	if (q[3] != 0)
		shared = q;
	pool_free(&pool, q);
#endif
	return 0;
}

int main(void)
{
	pool_init(&pool);
#ifdef PEBBLES
	thr_init(PAGE_SIZE);
	mutex_init(&pool.lock);
	mutex_init(&guard);
#else
	pthread_t t;
	pthread_mutex_init(&pool.lock, NULL);
	pthread_mutex_init(&guard, NULL);
#endif
	shared = pool_alloc(&pool, 24);
#ifdef PEBBLES
	int t = thr_create(user, NULL);
	run();
	thr_join(t, NULL);
#else
	pthread_create(&t, NULL, user, NULL);
	run();
	pthread_join(t, NULL);
#endif
	return 0;
}
