/* A kernel in the shape that courses give theirs (docs/case-studies/pintos.md). A thread is a
 * page, with its structure at the foot. The functions have the names by which landgo knows that
 * family, and nothing is annotated. Written from what such kernels do; ../README.md has the
 * tour. */
#ifndef COURSE_H
#define COURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "variant.h"

typedef uintptr_t word;

enum { PAGE = 4096 };

/* What the small kernel beside this one lends: interrupt.c, page.c, panic.c. */

bool interrupts_off(void);
void interrupts_restore(bool were_on);
void *page_allocate(void);
void page_free(void *page);
_Noreturn void panic(const char *file, int line, const char *message);

/* tests.c: the end. */

#define ASSERT(truth) ((truth) ? (void)0 : debug_panic(__FILE__, __LINE__, __func__, "%s", #truth))

_Noreturn void debug_panic(const char *file, int line, const char *function, const char *format, const char *message);

/* thread.c */

enum thread_status { THREAD_RUNNING, THREAD_READY, THREAD_BLOCKED, THREAD_SLEEPING, THREAD_DYING };

typedef void thread_function(void *argument);

struct thread {
	int tid;
	enum thread_status status;
	int priority; /* all have the same */
	int turns;    /* see IMPATIENT */
	void *stack;  /* where it stands, while it doesn't run: ../switch.S */
	struct thread *next;
	int64_t wake_at;
	thread_function *function;
	void *argument;
	word magic; /* the stack would overwrite this first */
};

struct list {
	struct thread *first, *last;
};

void list_add(struct list *l, struct thread *t);
struct thread *list_take(struct list *l);

struct thread *current(void);
int thread_create(const char *name, int priority, thread_function *function, void *argument);
void thread_start(void);
void thread_block(void);
void thread_unblock(struct thread *t);
void thread_yield(void);
_Noreturn void thread_exit(void);

int64_t timer_ticks(void);
/* By yielding until so much time has passed; by waiting in a list if
 * timer_queues. */
void timer_sleep(int64_t ticks);
extern bool timer_queues;

/* sync.c */

struct semaphore {
	int value;
	struct list waiters;
};

void sema_down(struct semaphore *s);
void sema_up(struct semaphore *s);

/* screen.c: text memory. */

enum { CELLS = 3, COLUMNS = 80, ROWS = 25 };

extern uint16_t screen[];
void *memmove(void *to, const void *from, size_t size);
/* A letter comes into the last of the first CELLS cells, the others move on. */
void screen_letter(char c);
/* All lines go up by one. */
void screen_scroll(void);

#endif
