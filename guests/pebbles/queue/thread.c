/* Threads, each in a block of pages of its own: the stack, and at its top end
 * what the library knows of the thread. Blocks are never given back to the
 * kernel. That of a thread which has been joined serves the next one.
 *
 * All blocks in use are in a list under one guard. A thread's creator holds it
 * until the list has the thread with its id, so a child that looks for itself
 * finds itself.
 *
 * A thread that ends holds the guard from before it says so until its last use of its stack;
 * unlock_and_vanish has none. The thread that puts its block among the free ones has held the
 * guard after that. */
#include "thread.h"
#include "guard.h"
#include "queue.h"

#define BLOCKS ((char *)0x20000000)

int thread_spawn(void *stack, void *(*func)(void *), void *arg);
void unlock_and_vanish(volatile unsigned *serving) __attribute__((noreturn));

struct thread {
	int tid;
	volatile int ended;
	void *status;
	queue_t joiner; /* at most one */
	int joined;     /* another thread joins it */
	struct thread *next;
} __attribute__((aligned(16)));

static guard_t guard; /* of all below */
static struct thread first;
static struct thread *threads, *unused;
static unsigned blocks, block_size;

int thr_init(unsigned size)
{
	/* A page between stacks stays unmapped. */
	block_size = (size + sizeof(struct thread) + 2 * PAGE_SIZE - 1) & -PAGE_SIZE;
	first.tid = gettid();
	threads = &first;
	return 0;
}

/* The thread with an id, or NULL, as the place that points to it. */
static struct thread **find(int tid)
{
	struct thread **p = &threads;

	while (*p != NULL && (*p)->tid != tid)
		p = &(*p)->next;
	return p;
}

/* A block for a new thread: one that was used before, or a new one. */
static struct thread *take_block(void)
{
	struct thread *t = unused;

	if (t != NULL) {
		unused = t->next;
		return t;
	}
	char *block = BLOCKS + blocks * block_size;
	unsigned size = block_size - PAGE_SIZE;
	if (new_pages(block, size) < 0)
		return NULL;
	blocks++;
	return (struct thread *)(block + size) - 1;
}

int thr_create(void *(*func)(void *), void *arg)
{
	guard_lock(&guard);
	struct thread *t = take_block();
	if (t == NULL) {
		guard_unlock(&guard);
		return -1;
	}
	*t = (struct thread){.next = threads};
	int tid = thread_spawn(t, func, arg);
	t->tid = tid;
	threads = t;
	guard_unlock(&guard);
	return tid;
}

void thr_exit(void *status)
{
	int tid = gettid();

	guard_lock(&guard);
	struct thread *self = *find(tid);
	assert(self != NULL);
	self->status = status;
	self->ended = 1;
	struct waiter *w = dequeue(&self->joiner);
#if EXIT_RECYCLES_EARLY
	/* Its joiner, or a new thread on this very stack, can go ahead now. */
	guard_unlock(&guard);
	if (w != NULL)
		grant(w);
	vanish();
#else
	if (w != NULL)
		grant(w);
	unlock_and_vanish(&guard.serving);
#endif
}

int thr_join(int tid, void **status)
{
	struct waiter self;

#if JOIN_LOOKS_FIRST
	/* Between this look and the queue the thread can end. */
	guard_lock(&guard);
	struct thread *seen = *find(tid);
	int ended = seen == NULL || seen->ended;
	guard_unlock(&guard);
#endif
	guard_lock(&guard);
	struct thread **p = find(tid), *t = *p;
	if (t == NULL || t->joined || tid == gettid()) {
		guard_unlock(&guard);
		return -1;
	}
	t->joined = 1;
#if !JOIN_LOOKS_FIRST
	int ended = t->ended;
#endif
	if (!ended) {
		enqueue(&t->joiner, &self);
		guard_unlock(&guard);
		park(&self);
		guard_lock(&guard);
		p = find(tid);
	}
	if (status != NULL)
		*status = t->status;
	*p = t->next;
	if (t != &first) {
		t->next = unused;
		unused = t;
	}
	guard_unlock(&guard);
	return 0;
}

int thr_getid(void) { return gettid(); }

int thr_yield(int tid) { return yield(tid); }
