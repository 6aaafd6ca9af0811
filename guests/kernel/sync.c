/* Semaphores, locks and conditions. Each operation is one section without
 * interrupts, which a thread that has to wait leaves by the switch to another. */
#include "kernel.h"
#include "landgo.h"

void semaphore_down(struct semaphore *s)
{
	landgo_locking(s);
	bool on = interrupts_off();
	while (s->value == 0) {
		if (WAKEUP_LOST) {
			interrupts_restore(on);
			interrupts_off();
		}
		queue_add(&s->waiters, current());
		thread_block();
	}
	s->value--;
	interrupts_restore(on);
}

void semaphore_up(struct semaphore *s)
{
	bool on = interrupts_off();
	if (!queue_empty(&s->waiters))
		thread_ready(queue_take(&s->waiters));
	s->value++;
	thread_give_way();
	interrupts_restore(on);
	landgo_unlocked(s);
}

/* donate raises the holder of l to this priority, so that no thread of less keeps it from
 * running. It does the same for the holder of the lock that this thread waits for, and so on. */
static void donate(struct lock *l, int priority)
{
	if (DONATION_MISSED)
		return;
	/* A lock that is wanted can be free: the thread that was woken for it hasn't come yet. */
	for (; l && l->holder && l->holder->priority < priority; l = l->holder->wanted)
		thread_set_priority(l->holder, priority);
}

/* deserved is the priority that is left to a thread: the highest of its own and
 * of those that wait for what it holds. */
static int deserved(struct thread *t)
{
	int priority = t->own_priority;
	for (struct lock *l = t->held; l && !DONATION_DROPPED; l = l->next_held)
		if (!queue_empty(&l->waiters) && queue_best(&l->waiters)->priority > priority)
			priority = queue_best(&l->waiters)->priority;
	return priority;
}

void lock_acquire(struct lock *l)
{
	landgo_locking(l);
	bool on = interrupts_off();
	struct thread *me = current();
	ASSERT(l->holder != me);
	while (l->holder) {
		me->wanted = l;
		donate(l, me->priority);
		queue_add(&l->waiters, me);
		thread_block();
		me->wanted = NULL;
	}
	l->holder = me;
	l->next_held = me->held;
	me->held = l;
	interrupts_restore(on);
}

/* let_go is lock_release, but for the chance that it gives to others. */
static bool let_go(struct lock *l)
{
	struct thread *me = current();
	ASSERT(l->holder == me);
	struct lock **link = &me->held;
	while (*link != l)
		link = &(*link)->next_held;
	*link = l->next_held;
	l->holder = NULL;
	bool waited_for = !queue_empty(&l->waiters);
	if (waited_for)
		thread_ready(queue_take(&l->waiters));
	thread_set_priority(me, deserved(me));
	return waited_for;
}

void lock_release(struct lock *l)
{
	bool on = interrupts_off();
	bool waited_for = let_go(l);
	thread_give_way();
	if (!(RELEASE_OFF && waited_for))
		interrupts_restore(on);
	landgo_unlocked(l);
}

void condition_wait(struct condition *c, struct lock *l)
{
	bool on = interrupts_off();
	let_go(l);
	queue_add(&c->waiters, current());
	thread_block();
	interrupts_restore(on);
	lock_acquire(l);
}

void condition_signal(struct condition *c)
{
	bool on = interrupts_off();
	if (!queue_empty(&c->waiters))
		thread_ready(queue_take(&c->waiters));
	thread_give_way();
	interrupts_restore(on);
	landgo_unlocked(c);
}

void condition_broadcast(struct condition *c)
{
	bool on = interrupts_off();
	while (!queue_empty(&c->waiters))
		thread_ready(queue_take(&c->waiters));
	thread_give_way();
	interrupts_restore(on);
	landgo_unlocked(c);
}
