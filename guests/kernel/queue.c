/* Lists of threads, linked through the threads themselves, first come first
 * served within a priority. The caller sees to it that no other thread is at the
 * list: interrupts are off. */
#include "kernel.h"

bool queue_empty(const struct queue *q)
{
	return !q->first;
}

void queue_add(struct queue *q, struct thread *t)
{
	t->next = NULL;
	if (q->first)
		q->last->next = t;
	else
		q->first = t;
	q->last = t;
}

struct thread *queue_best(const struct queue *q)
{
	struct thread *best = q->first;
	for (struct thread *t = best; t; t = t->next)
		if (t->priority > best->priority)
			best = t;
	return best;
}

void queue_remove(struct queue *q, struct thread *t)
{
	struct thread *before = NULL;
	for (struct thread *u = q->first; u != t; u = u->next)
		before = u;
	if (before)
		before->next = t->next;
	else
		q->first = t->next;
	if (q->last == t)
		q->last = before;
}

struct thread *queue_take(struct queue *q)
{
	struct thread *t = PRIORITY_IGNORED ? q->first : queue_best(q);
	queue_remove(q, t);
	return t;
}
