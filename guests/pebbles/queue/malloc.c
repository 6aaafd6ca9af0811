#include "pebbles.h"
#include "thread.h"

static mutex_t heap;

void *malloc(size_t size)
{
	mutex_lock(&heap);
	void *p = _malloc(size);
	mutex_unlock(&heap);
	return p;
}

void *calloc(size_t count, size_t size)
{
	mutex_lock(&heap);
	void *p = _calloc(count, size);
	mutex_unlock(&heap);
	return p;
}

void *realloc(void *p, size_t size)
{
	mutex_lock(&heap);
	void *q = _realloc(p, size);
	mutex_unlock(&heap);
	return q;
}

void free(void *p)
{
	mutex_lock(&heap);
	_free(p);
	mutex_unlock(&heap);
}
