/* A bounded buffer: a ring of items under a lock, with a condition for those
 * that wait for room and one for those that wait for items. */
#include "kernel.h"

void buffer_put(struct buffer *b, int item)
{
	lock_acquire(&b->lock);
	while (b->count == BUFFER_SIZE)
		condition_wait(&b->not_full, &b->lock);
	b->items[(b->first + b->count++) % BUFFER_SIZE] = item;
	condition_signal(&b->not_empty);
	lock_release(&b->lock);
}

int buffer_get(struct buffer *b)
{
	lock_acquire(&b->lock);
	while (b->count == 0) {
		condition_wait(&b->not_empty, &b->lock);
		if (BUFFER_IF)
			break;
	}
	ASSERT(b->count > 0);
	int item = b->items[b->first];
	b->first = (b->first + 1) % BUFFER_SIZE;
	b->count--;
	condition_signal(&b->not_full);
	lock_release(&b->lock);
	return item;
}
