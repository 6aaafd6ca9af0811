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

/* take has the lock, and knows that there is an item. */
static int take(struct buffer *b)
{
	ASSERT(b->count > 0);
	int item = b->items[b->first];
	b->first = (b->first + 1) % BUFFER_SIZE;
	b->count--;
	condition_signal(&b->not_full);
	return item;
}

int buffer_get(struct buffer *b)
{
	lock_acquire(&b->lock);
	while (b->count == 0) {
		condition_wait(&b->not_empty, &b->lock);
		if (BUFFER_IF)
			break;
	}
	int item = take(b);
	lock_release(&b->lock);
	return item;
}

int buffer_poll(struct buffer *b)
{
	lock_acquire(&b->lock);
	int item = b->count > 0 ? take(b) : 0;
	lock_release(&b->lock);
	return item;
}
