/* The mistakes that this kernel can be built with, -D each: see README.md. */
#ifndef VARIANT_H
#define VARIANT_H

/* thread_create puts the thread on the ready list with interrupts on. */
#ifndef CREATE_UNGUARDED
#define CREATE_UNGUARDED 0
#endif
/* thread_yield has interrupts on when it has chosen and not yet switched. */
#ifndef SWITCH_OPEN
#define SWITCH_OPEN 0
#endif
/* lock_release leaves them off when a thread waits. */
#ifndef RELEASE_OFF
#define RELEASE_OFF 0
#endif
/* semaphore_down looks in one section and sleeps in the next. */
#ifndef WAKEUP_LOST
#define WAKEUP_LOST 0
#endif
/* thread_join looks whether the thread has ended, with interrupts on. */
#ifndef JOIN_RACE
#define JOIN_RACE 0
#endif
/* thread_exit wakes the joiner in one section and leaves in the next. */
#ifndef EXIT_EARLY
#define EXIT_EARLY 0
#endif
/* thread_ready turns interrupts on also in a section of its caller's. */
#ifndef RESTORE_NESTED
#define RESTORE_NESTED 0
#endif
/* lock_acquire gives its priority to no thread. */
#ifndef DONATION_MISSED
#define DONATION_MISSED 0
#endif
/* lock_release takes away what the waiters of another lock have given. */
#ifndef DONATION_DROPPED
#define DONATION_DROPPED 0
#endif
/* buffer_get looks once whether there is an item. */
#ifndef BUFFER_IF
#define BUFFER_IF 0
#endif
/* queue_take takes the first, whatever its priority. */
#ifndef PRIORITY_IGNORED
#define PRIORITY_IGNORED 0
#endif
/* thread_sleep puts the thread on the list of sleepers with interrupts on. */
#ifndef SLEEP_UNGUARDED
#define SLEEP_UNGUARDED 0
#endif
/* A thread's stack has room for what it calls, and not for an interrupt in that. */
#ifndef STACK_SMALL
#define STACK_SMALL 0
#endif
/* The interrupts' entry gives back a register that it hasn't kept. */
#ifndef REGISTER_LOST
#define REGISTER_LOST 0
#endif
/* The table of gates is told as if it had none. */
#ifndef GATES_LOST
#define GATES_LOST 0
#endif
/* thread_sleep looks at the clock with interrupts on, and a tick wakes those whose
 * time is now, not those whose time has passed. */
#ifndef SLEEP_EXACT
#define SLEEP_EXACT 0
#endif
/* thread_create has a thread ready that has yet to be given the segment it loads. */
#ifndef SEGMENT_LATE
#define SEGMENT_LATE 0
#endif

#endif
