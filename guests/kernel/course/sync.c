/* Semaphores, as sections without interrupts. */
#include "course.h"

void sema_down(struct semaphore *s)
{
	bool on = interrupts_off();
	while (s->value == 0) {
		if (DOWN_LATE) {
			interrupts_restore(on);
			interrupts_off();
		}
		list_add(&s->waiters, current());
		thread_block();
	}
	s->value--;
	interrupts_restore(on);
}

void sema_up(struct semaphore *s)
{
	bool on = interrupts_off();
	bool waited_for = s->waiters.first;
	if (waited_for)
		thread_unblock(list_take(&s->waiters));
	s->value++;
	if (!(UP_OFF && waited_for))
		interrupts_restore(on);
}
