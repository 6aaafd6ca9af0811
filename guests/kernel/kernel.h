/* What the parts of the kernel offer to each other. Each part's own file says
 * how it works; README.md has the tour. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "variant.h"

typedef uintptr_t word;

enum { PAGE = 4096 };

/* panic.c: the end, good or bad. */

#define ASSERT(truth) ((truth) ? (void)0 : panic(__FILE__, __LINE__, #truth))

_Noreturn void panic(const char *file, int line, const char *message);
_Noreturn void power_off(void);

/* console.c: the serial line. */

void console_setup(void);
void print(const char *text);
void print_number(word n);

/* interrupt.c: interrupts, and sections without them. */

void interrupts_setup(void);
/* Are they on? */
bool interrupts_on(void);
/* Turns them off, and says whether they were on. */
bool interrupts_off(void);
/* As they were: off in a section within another, on at the end of the outer. */
void interrupts_restore(bool were_on);

/* page.c: memory by the page. */

void pages_setup(void);
/* Goes through all free pages, writes and reads each word. */
void pages_test(void);
void *page_allocate(void);
void page_free(void *page);

/* queue.c: a list of threads. A thread is in at most one. */

struct thread;

struct queue {
	struct thread *first, *last;
};

bool queue_empty(const struct queue *q);
void queue_add(struct queue *q, struct thread *t);
/* The first of those with the highest priority, which stays in or leaves. */
struct thread *queue_best(const struct queue *q);
struct thread *queue_take(struct queue *q);
void queue_remove(struct queue *q, struct thread *t);

/* thread.c: threads and which of them runs. */

enum state { BLOCKED, READY, RUNNING, ENDED };

enum { PRIORITY_LOWEST = 0, PRIORITY_NORMAL = 31, PRIORITY_HIGHEST = 63 };

typedef int thread_function(void *argument);

/* A thread is a page: this at its start, the stack down from its end. */
struct thread {
	int id;             /* 1, 2, ... in the order of creation */
	enum state state;
	int priority;       /* what counts: its own, or what was given to it */
	int own_priority;
	void *stack;        /* where it stands, while it doesn't run */
	struct thread *next; /* in the queue that it is in */

	word wake_at;         /* the tick that it sleeps for */
	struct thread *joiner; /* the thread that waits for its end */
	int status;           /* what it ended with */
	int segment;          /* that it loads first: a mistake only */

	struct lock *wanted; /* what it waits for */
	struct lock *held;   /* what it holds, linked by next_held */

	thread_function *function;
	void *argument;
	word magic; /* the stack would overwrite this first */
};

void threads_setup(void);
struct thread *current(void);
struct thread *thread_create(int priority, thread_function *function, void *argument);
/* Lets another thread of the same priority run. */
void thread_yield(void);
/* Lets a better one run, if there is one. */
void thread_give_way(void);
/* Waits until another thread calls thread_ready; interrupts are off. */
void thread_block(void);
void thread_ready(struct thread *t);
void thread_sleep(word ticks);
_Noreturn void thread_exit(int status);
/* Waits for the thread's end; what it returned. Once for each thread. */
int thread_join(struct thread *t);
void thread_set_priority(struct thread *t, int priority);
/* What the timer's interrupt does. */
void thread_tick(void);
word ticks_passed(void);

/* sync.c: what threads wait for. */

struct semaphore {
	int value;
	struct queue waiters;
};

void semaphore_down(struct semaphore *s);
void semaphore_up(struct semaphore *s);

/* Its holder has at least the priority of each that waits for it. */
struct lock {
	struct thread *holder;
	struct queue waiters;
	struct lock *next_held;
};

void lock_acquire(struct lock *l);
void lock_release(struct lock *l);

struct condition {
	struct queue waiters;
};

/* Releases l, waits for a signal, and acquires l. */
void condition_wait(struct condition *c, struct lock *l);
void condition_signal(struct condition *c);
void condition_broadcast(struct condition *c);

/* buffer.c: a bounded buffer. */

enum { BUFFER_SIZE = 1 };

struct buffer {
	struct lock lock;
	struct condition not_full, not_empty;
	int items[BUFFER_SIZE];
	int first, count;
};

void buffer_put(struct buffer *b, int item);
int buffer_get(struct buffer *b);
/* The first item, or 0: it doesn't wait for one. */
int buffer_poll(struct buffer *b);

/* tests.c: what the command line can ask for. */

/* Runs the test of that name; false: there is none. */
bool run_test(const char *name);

#endif
