/* The mistakes that this library can be built with, one at a time, by -D. A
 * library without any is meant to be right. */
#ifndef VARIANT_H
#define VARIANT_H

/* Of the guard: it takes a number in two steps. */
#ifndef GUARD_PLAIN
#define GUARD_PLAIN 0
#endif

/* Of a sleeper: it doesn't look whether it was granted before it goes on. */
#ifndef PARK_ONCE
#define PARK_ONCE 0
#endif

/* Of mutex_unlock: it frees the mutex and wakes no thread; it frees the mutex and
 * gives it to the first in the queue as well. */
#ifndef UNLOCK_SILENT
#define UNLOCK_SILENT 0
#endif
#ifndef UNLOCK_TWICE
#define UNLOCK_TWICE 0
#endif

/* Of cond_wait: it gives the mutex back before it is in the queue. */
#ifndef COND_UNLOCKS_FIRST
#define COND_UNLOCKS_FIRST 0
#endif

/* Of sem_signal: it wakes a waiter and counts the unit as well. */
#ifndef SEM_TWICE
#define SEM_TWICE 0
#endif

/* Of thr_exit: its stack can be used again while it is still on it. Of
 * thr_join: it looks whether the thread has ended before it holds the lock. */
#ifndef EXIT_RECYCLES_EARLY
#define EXIT_RECYCLES_EARLY 0
#endif
#ifndef JOIN_LOOKS_FIRST
#define JOIN_LOOKS_FIRST 0
#endif

#endif
