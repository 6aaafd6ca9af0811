/* Threads that wait for a turn, in order. The code of the object around a queue takes waiters out
 * and grants them what they wait for. A thread that is granted a mutex holds it, and a thread
 * that is granted a unit has it. None competes again. */
#ifndef QUEUE_H
#define QUEUE_H

#include "pebbles.h"
#include "types.h"
#include "variant.h"

/* It lies on the waiting thread's stack. */
struct waiter {
	int tid;
	int kind; /* of the wait: what the object's owner wants to know */
	volatile int granted;
	struct waiter *next;
};

static inline void enqueue(queue_t *q, struct waiter *w)
{
	w->tid = gettid();
	w->granted = 0;
	w->next = NULL;
	if (q->head == NULL)
		q->head = w;
	else
		q->tail->next = w;
	q->tail = w;
}

static inline struct waiter *dequeue(queue_t *q)
{
	struct waiter *w = q->head;

	if (w != NULL)
		q->head = w->next;
	return w;
}

/* Sleeps until granted. It looks each time it wakes up: make_runnable may have
 * been meant for an earlier sleep, whose grant came before it. */
static inline void park(struct waiter *w)
{
#if PARK_ONCE
	deschedule((int *)&w->granted);
#else
	while (!w->granted)
		deschedule((int *)&w->granted);
#endif
}

/* Lets a waiter go that is in no queue any more. With the store it may be gone,
 * and w with it. */
static inline void grant(struct waiter *w)
{
	int tid = w->tid;

	/* volatile says nothing of tid: gcc would read it after the store. */
	__asm__ volatile("" : : : "memory");
	w->granted = 1;
	make_runnable(tid);
}

#endif
