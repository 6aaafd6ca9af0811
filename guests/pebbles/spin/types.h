#ifndef TYPES_H
#define TYPES_H

typedef struct {
	volatile int held;
} mutex_t;

struct waiter;

typedef struct {
	mutex_t guard; /* of the queue */
	struct waiter *head, *tail;
} cond_t;

typedef struct {
	mutex_t lock;
	cond_t more;
	int count;
} sem_t;

typedef struct {
	mutex_t lock;
	cond_t change;
	int readers; /* that hold it */
	int writer;  /* holds it */
	int writers_waiting;
} rwlock_t;

#endif
