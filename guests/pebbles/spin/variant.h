/* The mistakes that this library can be built with, one at a time, by -D. A
 * library without any is meant to be right. */
#ifndef VARIANT_H
#define VARIANT_H

/* Of the mutex: it looks and takes in two steps. */
#ifndef MUTEX_PLAIN
#define MUTEX_PLAIN 0
#endif

/* Of cond_wait: it sleeps without a word that a signal sets; it doesn't look
 * again when it is woken. Of cond_broadcast: it wakes one. */
#ifndef COND_LOST_WAKEUP
#define COND_LOST_WAKEUP 0
#endif
#ifndef COND_SPURIOUS
#define COND_SPURIOUS 0
#endif
#ifndef BROADCAST_ONE
#define BROADCAST_ONE 0
#endif

/* Of sem_wait: if in place of while. */
#ifndef SEM_IF
#define SEM_IF 0
#endif

/* Of the read-write lock: a thread that leaves wakes none. A downgrade lets a writer
 * in with the readers. */
#ifndef RWLOCK_SILENT
#define RWLOCK_SILENT 0
#endif
#ifndef RWLOCK_DOWNGRADE_RELEASES
#define RWLOCK_DOWNGRADE_RELEASES 0
#endif

/* Of thr_create: the child can run before its id is stored. */
#ifndef CREATE_RACE
#define CREATE_RACE 0
#endif

/* Of thr_exit: it sets the joiner free before it is done with its stack; it
 * frees its own stack; it wakes a joiner without telling it. Of thr_join: it
 * frees a stack that may still be in use. */
#ifndef EXIT_OWN_STACK
#define EXIT_OWN_STACK 0
#endif
#ifndef EXIT_UNLOCKS_EARLY
#define EXIT_UNLOCKS_EARLY 0
#endif
#ifndef JOIN_FREES_EARLY
#define JOIN_FREES_EARLY 0
#endif
#ifndef JOIN_LOST_WAKEUP
#define JOIN_LOST_WAKEUP 0
#endif

#endif
