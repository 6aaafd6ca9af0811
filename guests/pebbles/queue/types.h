#ifndef TYPES_H
#define TYPES_H

/* A ticket lock, for the few instructions that change a queue. */
typedef struct {
	volatile unsigned next, serving;
} guard_t;

struct waiter;

typedef struct {
	struct waiter *head, *tail;
} queue_t;

typedef struct {
	guard_t guard;
	int held;
	queue_t queue;
} mutex_t;

typedef struct {
	guard_t guard;
	queue_t queue;
} cond_t;

typedef struct {
	guard_t guard;
	int count;
	queue_t queue;
} sem_t;

typedef struct {
	guard_t guard;
	int readers, writer; /* that hold it */
	queue_t queue;
} rwlock_t;

#endif
