/* A thread library whose functions on threads are all wrong: what a program does
 * with landgo's in their place (--trust threads). The first argument chooses the program. */
#include "pebbles.h"

static const char *how = ""; /* the second argument */
static int asked(const char *what) { return strcmp(how, what) == 0; }

int thr_init(unsigned size);
int thr_create(void *(*func)(void *), void *arg);
int thr_join(int tid, void **status);
void thr_exit(void *status) __attribute__((noreturn));
int thr_getid(void);
int thr_yield(int tid);

#define STACK (2 * PAGE_SIZE)

/* What the wrong functions keep, and what thr_init does for others. */
static struct {
	int threads, last;
} table;
static volatile int set_up;

__attribute__((noipa)) int thr_init(unsigned size)
{
	set_up = 1;
	return size > 0 ? 0 : -1;
}

__attribute__((noipa)) int thr_create(void *(*func)(void *), void *arg)
{
	table.threads++;
	panic("thr_create(%p, %p)", func, arg);
}

__attribute__((noipa)) int thr_join(int tid, void **status)
{
	panic("thr_join(%d, %p) of %d", tid, status, table.threads);
}

__attribute__((noipa)) void thr_exit(void *status)
{
	table.last = 1;
	panic("thr_exit(%p)", status);
}

__attribute__((noipa)) int thr_getid(void) { panic("thr_getid"); }
__attribute__((noipa)) int thr_yield(int tid) { panic("thr_yield(%d)", tid); }

static void *same(void *arg) { return arg; }
static void leave(void *arg) { thr_exit(arg); }

static void *leaves(void *arg)
{
	leave(arg);
	return NULL;
}

/* A status by return and by thr_exit; threads that can't be joined. */
static int status(void)
{
	void *status = NULL;

	assert(thr_create(same, NULL) < 0); /* thr_init comes first */
	assert(thr_init(STACK) == 0 && set_up);
	int a = thr_create(same, (void *)-7L), b = thr_create(leaves, &status);
	assert(a > 0 && b > 0 && a != b && thr_getid() == gettid());
	assert(thr_join(thr_getid(), &status) < 0 && thr_join(12345, NULL) < 0 && thr_join(-1, NULL) < 0 && thr_join(0, NULL) < 0);
	assert(status == NULL);
	assert(thr_join(b, &status) == 0 && status == &status);
	assert(thr_join(b, &status) < 0);
	assert(thr_join(a, &status) == 0 && status == (void *)-7L);
	assert(thr_yield(a) < 0 && thr_yield(thr_getid()) == 0 && thr_yield(-1) == 0 && make_runnable(a) < 0);
	return 0;
}

/* A thread's ids are one number, and all of its stack is there. */
static volatile int id;

static void *self_child(void *arg)
{
	volatile char room[STACK - 512];

	for (unsigned i = 0; i < sizeof room; i += 64)
		room[i] = 1;
	assert((unsigned long)arg == 41);
	assert(thr_getid() == gettid());
	id = thr_getid();
	return (void *)(long)(room[0] + 41);
}

static int self(void)
{
	void *status;

	thr_init(STACK);
	int tid = thr_create(self_child, (void *)41);
	assert(thr_join(tid, &status) == 0 && status == (void *)42 && id == tid);
	return 0;
}

/* Of two that join a thread one gets it, whichever comes first. */
static int tid;
static volatile int mine, yours;

static void *joiners_joiner(void *arg)
{
	void *status;

	yours = thr_join(tid, &status) == 0 && status == (void *)9;
	return arg;
}

static int joiners(void)
{
	thr_init(STACK);
	tid = thr_create(same, (void *)9);
	int other = thr_create(joiners_joiner, NULL);
	mine = thr_join(tid, NULL) == 0;
	assert(thr_join(other, NULL) == 0);
	assert(mine + yours == 1);
	if (asked("mine"))
		assert(mine);
	if (asked("yours"))
		assert(yours);
	return 0;
}

/* A thread that joins what may not have been created yet. */
static volatile int got;

static void *unborn_joiner(void *arg)
{
	got = thr_join((int)(long)arg, NULL);
	return NULL;
}

static int unborn(void)
{
	thr_init(STACK);
	int a = thr_create(unborn_joiner, (void *)10); /* the id of the second child */
	int b = thr_create(same, NULL);
	assert(b == 10);
	assert(thr_join(a, NULL) == 0);
	if (asked("never"))
		assert(got < 0);
	if (asked("always"))
		assert(got == 0);
	return 0;
}

/* The task ends with its last thread, with the status that was set. */
static void *last_child(void *arg)
{
	thr_yield(-1);
	set_status(3);
	return arg;
}

static int last(void)
{
	thr_init(STACK);
	thr_create(last_child, (void *)5);
	thr_exit((void *)4);
}

/* What a thread's status is isn't the task's. */
static int quiet_last(void)
{
	thr_init(STACK);
	thr_create(same, (void *)5);
	thr_exit((void *)4);
}

/* The first thread can be joined. */
static void *first_joiner(void *arg)
{
	void *status;

	assert(thr_join((int)(long)arg, &status) == 0 && status == (void *)6);
	return arg;
}

static int first(void)
{
	thr_init(STACK);
	thr_create(first_joiner, (void *)(long)thr_getid());
	thr_exit((void *)6);
}

/* A new thread has no exception handler; one of its own works. */
static char handlers[2][PAGE_SIZE];
static volatile int caught;

static void handler_back(void *arg, ureg_t *u)
{
	caught++;
#ifdef __i386__
	u->eip += 2; /* ud2 */
#else
	u->rip += 2;
#endif
	(void)arg;
	swexn(NULL, NULL, NULL, u);
}

static void *handler_child(void *arg)
{
	if (!asked("none"))
		assert(swexn(handlers[1] + PAGE_SIZE, handler_back, NULL, NULL) == 0);
	__asm__ volatile("ud2");
	return arg;
}

static int handler(void)
{
	thr_init(STACK);
	assert(swexn(handlers[0] + PAGE_SIZE, handler_back, NULL, NULL) == 0);
	assert(thr_join(thr_create(handler_child, NULL), NULL) == 0);
	assert(caught == 1);
	__asm__ volatile("ud2");
	assert(caught == 2);
	return 0;
}

static volatile int root;

static void *cycle_joiner(void *arg)
{
	thr_join(root, NULL);
	return arg;
}

static int cycle(void)
{
	thr_init(STACK);
	root = thr_getid();
	thr_join(thr_create(cycle_joiner, NULL), NULL);
	return 0;
}

/* A stack ends at a page that isn't there. */
static int overflow_deep(int n)
{
	volatile char room[512];

	room[0] = n;
	return n == 0 ? room[0] : overflow_deep(n - 1) + room[0];
}

static void *overflow_child(void *arg) { return (void *)(long)overflow_deep((int)(long)arg); }

static int overflow(void)
{
	thr_init(STACK);
	thr_join(thr_create(overflow_child, (void *)100), NULL);
	return 0;
}

/* What lies on a stack is gone with its thread. */
static int *volatile left;

static void *ended_child(void *arg)
{
	volatile int local = 1;

	left = (int *)&local;
	thr_yield(-1);
	return arg;
}

static int ended(void)
{
	thr_init(STACK);
	int tid = thr_create(ended_child, NULL);
	while (left == NULL)
		thr_yield(-1);
	int seen = *left;
	return thr_join(tid, NULL) + seen - 1;
}

/* Code that runs looks into what the functions keep. */
static int looks(void)
{
	thr_init(STACK);
	int before = table.threads;
	thr_join(thr_create(same, NULL), NULL);
	assert(table.threads == before + 1);
	return 0;
}

/* To store there is no harm. */
static int stores(void)
{
	thr_init(STACK);
	table.threads = 1;
	thr_join(thr_create(same, NULL), NULL);
	table.last = 1;
	return 0;
}

static void *above_child(void *arg)
{
	return ((void **)(((unsigned long)&arg | (PAGE_SIZE - 1)) + 1))[0];
}

static int above(void)
{
	thr_init(STACK);
	thr_join(thr_create(above_child, NULL), NULL);
	return 0;
}

static void *vanishes_child(void *arg)
{
	(void)arg;
	vanish();
}

static int vanishes(void)
{
	thr_init(STACK);
	thr_join(thr_create(vanishes_child, NULL), NULL);
	return 0;
}

/* A guest that wants all memory meets landgo's stacks. */
static int pages(void)
{
	thr_init(STACK);
	int tid = thr_create(same, NULL);
	for (unsigned long base = 0xc0000000; base < 0xc1000000; base += 16 * PAGE_SIZE)
		new_pages((void *)base, 16 * PAGE_SIZE);
	thr_join(tid, NULL);
	return 0;
}

/* An allocator that asks for its thread where it keeps it. */
void *malloc(size_t n)
{
	assert(table.threads == 1);
	return _malloc(n);
}

static int allocator(void)
{
	thr_init(STACK);
	thr_join(thr_create(same, NULL), NULL);
	return malloc(8) == NULL;
}

static int nowhere(void)
{
	thr_init(STACK);
	thr_join(thr_create(same, NULL), (void **)(8 * PAGE_SIZE));
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} programs[] = {
		{"status", status},
		{"self", self},
		{"joiners", joiners},
		{"unborn", unborn},
		{"last", last},
		{"quiet_last", quiet_last},
		{"first", first},
		{"handler", handler},
		{"cycle", cycle},
		{"overflow", overflow},
		{"ended", ended},
		{"looks", looks},
		{"stores", stores},
		{"above", above},
		{"vanishes", vanishes},
		{"pages", pages},
		{"allocator", allocator},
		{"nowhere", nowhere},
	};

	if (argc > 2)
		how = argv[2];
	for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++)
		if (argc > 1 && strcmp(argv[1], programs[i].name) == 0)
			return programs[i].run();
	panic("no such program");
}
