/* Threads, and which of them runs: the first of those of the highest priority
 * that are ready, for one tick at the most. The idle thread runs when none is
 * ready, and is in no queue.
 *
 * invariant: the queues and all threads' states are touched with interrupts off
 * only; and they are off whenever a thread is switched from or to. A thread that
 * goes on turns them on again by the end of its own section, or of its own
 * interrupt. */
#include "kernel.h"
#include "landgo.h"

enum { MAGIC = 0x7ead, SMALL = 44, KERNEL_DATA = 16, NO_SEGMENT = 0xfff8 };

_Static_assert(offsetof(struct thread, stack) == 16, "switch.S");

/* switch.S: saves where from stands, goes on where to stands. */
void switch_threads(struct thread *from, struct thread *to);
/* switch.S: where a new thread begins. */
void thread_entry(void);

static struct queue ready;
static struct queue sleepers;
static struct thread *idle;
static int threads;
static word ticks;

struct thread *current(void)
{
	/* The stack that this is called on is in the thread's page. */
	return (struct thread *)((word)__builtin_frame_address(0) & ~(word)(PAGE - 1));
}

static void set_up(struct thread *t, int priority)
{
	t->id = ++threads;
	t->state = BLOCKED;
	t->priority = t->own_priority = priority;
	t->next = NULL;
	t->joiner = NULL;
	t->wanted = NULL;
	t->held = NULL;
	if (SEGMENT_LATE)
		t->segment = NO_SEGMENT;
	t->magic = MAGIC;
	landgo_created(t->id);
	landgo_priority(t->id, priority);
	landgo_stack(t->id, t + 1);
}

/* SCHEDULER: a thread gives the processor up to the idle thread, which chooses the next one. The
 * idle thread looks for it with interrupts on, and is no thread in `running`. */
#ifndef SCHEDULER
#define SCHEDULER 0
#endif

/* KEEP_RUNNING: a variable says which runs, assigned before the switch (1) or after
 * it (2), for kernels whose threads aren't found by their stacks are like that. */
#ifdef KEEP_RUNNING
struct thread *volatile running;
#define NOTE_RUNNING(when, thread) \
	((when) == KEEP_RUNNING ? (void)(running = SCHEDULER && (thread) == idle ? NULL : (thread)) : (void)0)
#else
#define NOTE_RUNNING(when, thread) (void)0
#endif

static struct thread *make(int priority, thread_function *function, void *argument)
{
	struct thread *t = page_allocate();
	set_up(t, priority);
	t->function = function;
	t->argument = argument;
	/* What switch_threads takes from the stack: four registers (six words of
	 * them on x86-64), and where to go. */
	word *stack = (word *)((char *)t + PAGE) - 2;
	if (STACK_SMALL)
		stack = (word *)(t + 1) + SMALL;
	*--stack = (word)thread_entry;
	for (int registers = sizeof(word) == 8 ? 6 : 4; registers; registers--)
		*--stack = 0;
	t->stack = stack;
	return t;
}

static void schedule(void);

static _Noreturn int idle_loop(void *unused)
{
	(void)unused;
	for (;;) {
		__asm__ volatile("sti; hlt; cli" : : : "memory");
		while (SCHEDULER && !queue_empty(&ready)) {
			idle->state = READY;
			schedule();
			__asm__ volatile("sti; nop; cli" : : : "memory");
		}
	}
}

/* The caller becomes a thread too: its stack is in a page of its own (boot.S). */
void threads_setup(void)
{
	struct thread *me = current();
	set_up(me, PRIORITY_NORMAL);
	me->state = RUNNING;
	NOTE_RUNNING(1, me);
	NOTE_RUNNING(2, me);
	landgo_ready(me->id);
	idle = make(PRIORITY_LOWEST, idle_loop, NULL);
	idle->state = READY;
	landgo_idle(idle->id);
	landgo_switch(me->id);
}

/* schedule gives the processor away. The caller has seen to it that its thread
 * is found again: in a queue, or never. */
static void schedule(void)
{
	struct thread *me = current(), *next = idle;
	if (!queue_empty(&ready) && (!SCHEDULER || me == idle))
		next = queue_take(&ready);
	if (SWITCH_OPEN && me->state == READY) {
		interrupts_restore(true);
		interrupts_off();
	}
	ASSERT(next->magic == MAGIC && next->state == READY);
	NOTE_RUNNING(1, next);
	if (next != me)
		switch_threads(me, next);
	NOTE_RUNNING(2, me);
	me->state = RUNNING;
	landgo_switch(me->id);
}

/* thread_begin is a new thread's first work (switch.S). */
_Noreturn void thread_begin(void)
{
	struct thread *me = current();
	NOTE_RUNNING(2, me);
	me->state = RUNNING;
	landgo_switch(me->id);
	if (SEGMENT_LATE)
		__asm__ volatile("mov %0, %%fs" : : "r"(me->segment));
	interrupts_restore(true);
	thread_exit(me->function(me->argument));
}

struct thread *thread_create(int priority, thread_function *function, void *argument)
{
	bool on = interrupts_off();
	struct thread *t = make(priority, function, argument);
	if (CREATE_UNGUARDED) {
		interrupts_restore(on);
		t->state = READY;
		queue_add(&ready, t);
		landgo_ready(t->id);
		interrupts_off();
	} else {
		thread_ready(t);
	}
	thread_give_way();
	interrupts_restore(on);
	if (SEGMENT_LATE)
		t->segment = KERNEL_DATA;
	return t;
}

void thread_yield(void)
{
	bool on = interrupts_off();
	struct thread *me = current();
	ASSERT(me->state == RUNNING);
	me->state = READY;
	if (me != idle)
		queue_add(&ready, me);
	schedule();
	interrupts_restore(on);
}

void thread_give_way(void)
{
	bool on = interrupts_off();
	if (!queue_empty(&ready) && queue_best(&ready)->priority > current()->priority)
		thread_yield();
	interrupts_restore(on);
}

void thread_block(void)
{
	struct thread *me = current();
	me->state = BLOCKED;
	landgo_unready(me->id);
	schedule();
}

void thread_ready(struct thread *t)
{
	bool on = interrupts_off();
	ASSERT(t->state == BLOCKED);
	t->state = READY;
	queue_add(&ready, t);
	landgo_ready(t->id);
	interrupts_restore(on || RESTORE_NESTED);
}

void thread_sleep(word time)
{
	struct thread *me = current();
	if (SLEEP_EXACT)
		me->wake_at = ticks_passed() + time;
	bool on = interrupts_off();
	if (!SLEEP_EXACT)
		me->wake_at = ticks + time;
	if (SLEEP_UNGUARDED)
		interrupts_restore(on);
	queue_add(&sleepers, me);
	if (SLEEP_UNGUARDED)
		interrupts_off();
	me->state = BLOCKED;
	landgo_sleep(me->id);
	schedule();
	interrupts_restore(on);
}

static void wake_sleepers(void)
{
	for (struct thread *t = sleepers.first, *next; t; t = next) {
		next = t->next;
		if (SLEEP_EXACT ? t->wake_at == ticks : t->wake_at <= ticks) {
			queue_remove(&sleepers, t);
			thread_ready(t);
		}
	}
}

void thread_tick(void)
{
	ticks++;
	wake_sleepers();
	if (!queue_empty(&ready) && !(SCHEDULER && current() == idle))
		thread_yield();
}

word ticks_passed(void)
{
	bool on = interrupts_off();
	word now = ticks;
	interrupts_restore(on);
	return now;
}

_Noreturn void thread_exit(int status)
{
	interrupts_off();
	struct thread *me = current();
	me->status = status;
	if (me->joiner)
		thread_ready(me->joiner);
	if (EXIT_EARLY) {
		interrupts_restore(true);
		interrupts_off();
	}
	me->state = ENDED;
	landgo_exited(me->id);
	schedule();
	panic(__FILE__, __LINE__, "a thread that had ended goes on");
}

int thread_join(struct thread *t)
{
	bool on = interrupts_off();
	if (JOIN_RACE)
		interrupts_restore(on);
	bool ended = t->state == ENDED;
	if (JOIN_RACE)
		interrupts_off();
	if (!ended) {
		t->joiner = current();
		thread_block();
	}
	int status = t->status;
	/* It is off its stack: interrupts were off from its end to the switch. */
	t->magic = 0;
	page_free(t);
	interrupts_restore(on);
	return status;
}

void thread_set_priority(struct thread *t, int priority)
{
	if (t->priority != priority) {
		t->priority = priority;
		landgo_priority(t->id, priority);
	}
}
