#ifndef TYPES_H
#define TYPES_H

/* Where a program finds what it needs of your library. Give each type what your
 * design wants in it. */
typedef struct {
	volatile int held;
} mutex_t;

typedef struct { int unused; } cond_t;
typedef struct { int unused; } sem_t;
typedef struct { int unused; } rwlock_t;

#endif
