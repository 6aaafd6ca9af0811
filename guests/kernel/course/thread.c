/* Threads, which of them runs, and sleep: one after the other, for this many ticks.
 *
 * invariant: lists and statuses are touched with interrupts off only, and they are
 * off whenever a thread is switched from or to. */
#include "course.h"

enum { MAGIC = 0xc0de, TIME_SLICE = 2, TURNS = 3 };

_Static_assert(offsetof(struct thread, stack) == 16, "../switch.S");

/* ../switch.S */
void switch_threads(struct thread *from, struct thread *to);
void thread_entry(void);

static struct list ready;
static struct list sleepers;
struct thread *idle_thread;
static struct thread *left; /* the thread that had the processor before */
static int threads;
static int64_t ticks;
static int yields; /* see IMPATIENT_YIELD */
static int slice; /* ticks that the thread that runs has had */
bool timer_queues;

void list_add(struct list *l, struct thread *t)
{
	t->next = NULL;
	if (l->first)
		l->last->next = t;
	else
		l->first = t;
	l->last = t;
}

struct thread *list_take(struct list *l)
{
	struct thread *t = l->first;
	l->first = t->next;
	return t;
}

struct thread *current(void)
{
	return (struct thread *)((word)__builtin_frame_address(0) & ~(word)(PAGE - 1));
}

static void set_up(struct thread *t, int priority)
{
	t->tid = ++threads;
	t->status = THREAD_BLOCKED;
	t->priority = priority;
	t->turns = 0;
	t->next = NULL;
	t->magic = MAGIC;
}

static struct thread *make(int priority, thread_function *function, void *argument)
{
	struct thread *t = page_allocate();
	set_up(t, priority);
	t->function = function;
	t->argument = argument;
	word *stack = (word *)((char *)t + PAGE) - 2;
	*--stack = (word)thread_entry;
	for (int registers = sizeof(word) == 8 ? 6 : 4; registers; registers--)
		*--stack = 0;
	t->stack = stack;
	return t;
}

static void idle(void *unused)
{
	(void)unused;
	for (;;) {
		interrupts_off();
		thread_block();
		__asm__ volatile("sti; hlt" : : : "memory");
	}
}

void thread_start(void)
{
	idle_thread = make(0, idle, NULL);
}

/* ../main.c: the caller becomes a thread. */
void threads_setup(void)
{
	struct thread *me = current();
	set_up(me, 31);
	me->status = THREAD_RUNNING;
	thread_start();
}

/* schedule_tail is the first that a thread does when it has the processor. */
static void schedule_tail(void)
{
	current()->status = THREAD_RUNNING;
	slice = 0;
	if (left && left->status == THREAD_DYING)
		page_free(left);
}

static void schedule(void)
{
	struct thread *me = current();
	struct thread *next = ready.first ? list_take(&ready) : idle_thread;
	ASSERT(next->magic == MAGIC);
	left = NULL;
	if (next != me) {
		left = me;
		switch_threads(me, next);
	}
	schedule_tail();
}

/* ../switch.S comes here when a new thread has the processor. */
_Noreturn void thread_begin(void)
{
	struct thread *me = current();
	schedule_tail();
	interrupts_restore(true);
	me->function(me->argument);
	thread_exit();
}

int thread_create(const char *name, int priority, thread_function *function, void *argument)
{
	(void)name;
	bool on = interrupts_off();
	struct thread *t = make(priority, function, argument);
	thread_unblock(t);
	interrupts_restore(on);
	return t->tid;
}

void thread_block(void)
{
	current()->status = THREAD_BLOCKED;
	schedule();
}

void thread_unblock(struct thread *t)
{
	bool on = interrupts_off();
	ASSERT(t->status == THREAD_BLOCKED || t->status == THREAD_SLEEPING);
	list_add(&ready, t);
	t->status = THREAD_READY;
	interrupts_restore(on);
}

void thread_yield(void)
{
	bool on = interrupts_off();
	struct thread *me = current();
	if (me != idle_thread)
		list_add(&ready, me);
	me->status = THREAD_READY;
	if (IMPATIENT_YIELD)
		yields++;
	schedule();
	interrupts_restore(on);
}

_Noreturn void thread_exit(void)
{
	interrupts_off();
	current()->status = THREAD_DYING;
	schedule();
	panic(__FILE__, __LINE__, "a thread that had ended goes on");
}

/* ../interrupt.c */
void thread_tick(void)
{
	ticks++;
	for (struct thread **at = &sleepers.first, *t; (t = *at);) {
		if (t->wake_at > ticks) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		thread_unblock(t);
	}
	if (++slice >= TIME_SLICE)
		thread_yield();
}

int64_t timer_ticks(void)
{
	bool on = interrupts_off();
	int64_t now = ticks;
	interrupts_restore(on);
	return now;
}

/* tired counts a turn of a sleep, and says whether it was one too many. */
static bool tired(volatile int *local)
{
	struct thread *me = current();
	if (IMPATIENT)
		return me->turns++ == TURNS;
	if (IMPATIENT_LOCAL)
		return (*local)++ == TURNS;
	if (IMPATIENT_SECTION) {
		bool on = interrupts_off();
		bool too_many = me->turns++ == TURNS;
		interrupts_restore(on);
		return too_many;
	}
	if (IMPATIENT_YIELD) {
		bool on = interrupts_off();
		bool too_many = yields >= 4 * TURNS;
		interrupts_restore(on);
		return too_many;
	}
	return false;
}

void timer_sleep(int64_t time)
{
	int64_t start = timer_ticks();
	volatile int turns = 0;
	if (timer_queues) {
		struct thread *me = current();
		if (SLEEP_OPEN)
			me->status = THREAD_SLEEPING;
		bool on = interrupts_off();
		if (!SLEEP_OPEN)
			me->status = THREAD_SLEEPING;
		me->wake_at = ticks + time;
		me->next = sleepers.first;
		sleepers.first = me;
		schedule();
		interrupts_restore(on);
		return;
	}
	while (timer_ticks() - start < time && !tired(&turns))
		thread_yield();
}
