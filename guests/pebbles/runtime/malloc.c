/* A first-fit allocator over one region of pages. It knows nothing of threads:
 * a thread library wraps each function in a lock of its own. */
#include "pebbles.h"

#define HEAP ((char *)0x40000000)
#define HEAP_SIZE (1 << 20)
#define ALIGN 16

/* A block's header stands before its bytes. Blocks lie one after the other
 * from HEAP to the end; a free one is joined with free ones that follow it when
 * the list is searched. */
struct block {
	size_t size; /* of the block's bytes */
	size_t free;
};

static int ready;

static struct block *next(struct block *b) { return (struct block *)((char *)(b + 1) + b->size); }

static int last(struct block *b) { return (char *)next(b) >= HEAP + HEAP_SIZE; }

static void split(struct block *b, size_t size)
{
	if (b->size < size + sizeof *b + ALIGN)
		return;
	size_t rest = b->size - size - sizeof *b;
	b->size = size;
	next(b)->size = rest;
	next(b)->free = 1;
}

void *_malloc(size_t size)
{
	if (size > HEAP_SIZE)
		return NULL;
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	struct block *b = (struct block *)HEAP;
	if (!ready) {
		if (new_pages(HEAP, HEAP_SIZE) < 0)
			return NULL;
		b->size = HEAP_SIZE - sizeof *b;
		b->free = 1;
		ready = 1;
	}
	for (;; b = next(b)) {
		while (b->free && !last(b) && next(b)->free)
			b->size += sizeof *b + next(b)->size;
		if (b->free && b->size >= size) {
			split(b, size);
			b->free = 0;
			return b + 1;
		}
		if (last(b))
			return NULL;
	}
}

void *_calloc(size_t count, size_t size)
{
	if (size != 0 && count > HEAP_SIZE / size)
		return NULL;
	void *p = _malloc(count * size);
	if (p != NULL)
		memset(p, 0, count * size);
	return p;
}

void _free(void *p)
{
	if (p == NULL)
		return;
	struct block *b = (struct block *)p - 1;
	assert(!b->free);
	b->free = 1;
}

void *_realloc(void *p, size_t size)
{
	if (p == NULL)
		return _malloc(size);
	struct block *b = (struct block *)p - 1;
	void *q = _malloc(size);
	if (q == NULL)
		return NULL;
	memcpy(q, p, b->size < size ? b->size : size);
	_free(p);
	return q;
}
