/* The tests: small, for all that can happen in them is to be gone through. Main
 * is the first thread, with the normal priority. */
#include "kernel.h"

static volatile int counter;

static int seven(void *unused)
{
	(void)unused;
	return 7;
}

static int eight(void *unused)
{
	(void)unused;
	return 8;
}

/* Two threads at once, and each returns what it should to main. */
static void test_create(void)
{
	struct thread *a = thread_create(PRIORITY_NORMAL, seven, NULL);
	struct thread *b = thread_create(PRIORITY_NORMAL, eight, NULL);
	ASSERT(thread_join(a) == 7);
	ASSERT(thread_join(b) == 8);
}

/* One after the other: the second gets the first one's page. */
static void test_join(void)
{
	ASSERT(thread_join(thread_create(PRIORITY_NORMAL, seven, NULL)) == 7);
	ASSERT(thread_join(thread_create(PRIORITY_NORMAL, eight, NULL)) == 8);
}

/* A thread that was joined is gone: none runs it or waits behind it. */
static void test_leave(void)
{
	ASSERT(thread_join(thread_create(PRIORITY_NORMAL, seven, NULL)) == 7);
	thread_yield();
}

static int yielder(void *unused)
{
	(void)unused;
	thread_yield();
	return 0;
}

/* Two threads that let each other run. */
static void test_yield(void)
{
	struct thread *a = thread_create(PRIORITY_NORMAL, yielder, NULL);
	thread_yield();
	thread_join(a);
}

static volatile int arrived[2];

static int await_first(void *unused)
{
	(void)unused;
	while (!arrived[0])
		thread_yield();
	arrived[1] = 1;
	return 0;
}

/* Two threads yield until the other has come: the test is wrong. */
static void test_await(void)
{
	thread_create(PRIORITY_NORMAL, await_first, NULL);
	while (!arrived[1])
		thread_yield();
	arrived[0] = 1;
}

static int watch(void *unused)
{
	(void)unused;
	word start = ticks_passed();
	while (ticks_passed() - start < 1500)
		thread_yield();
	return 0;
}

/* Two threads yield for a long time. */
static void test_watch(void)
{
	struct thread *a = thread_create(PRIORITY_NORMAL, watch, NULL);
	watch(NULL);
	thread_join(a);
}

static struct lock lock;

static int increment(void *unused)
{
	(void)unused;
	lock_acquire(&lock);
	counter++;
	lock_release(&lock);
	ASSERT(interrupts_on());
	return 0;
}

/* Two threads, a section each. */
static void test_lock(void)
{
	struct thread *a = thread_create(PRIORITY_NORMAL, increment, NULL);
	increment(NULL);
	thread_join(a);
	ASSERT(counter == 2);
}

static int increment_alone(void *unused)
{
	(void)unused;
	int seen = counter;
	counter = seen + 1;
	return 0;
}

/* Two threads and no lock: this test, and not the kernel, is wrong. */
static void test_race(void)
{
	struct thread *a = thread_create(PRIORITY_NORMAL, increment_alone, NULL);
	increment_alone(NULL);
	thread_join(a);
	ASSERT(counter == 2);
}

static struct semaphore semaphore;

static int up(void *unused)
{
	(void)unused;
	counter = 1;
	semaphore_up(&semaphore);
	return 0;
}

/* Main waits for what another has done, and doesn't wait for its end. */
static void test_semaphore(void)
{
	thread_create(PRIORITY_NORMAL, up, NULL);
	semaphore_down(&semaphore);
	ASSERT(counter == 1);
}

static struct buffer buffer;

static int get_two(void *unused)
{
	(void)unused;
	int first = buffer_get(&buffer);
	return 10 * first + buffer_get(&buffer);
}

/* Two items through a buffer with room for one, in their order. */
static void test_buffer(void)
{
	struct thread *a = thread_create(PRIORITY_NORMAL, get_two, NULL);
	buffer_put(&buffer, 1);
	buffer_put(&buffer, 2);
	ASSERT(thread_join(a) == 12);
}

static int get_one(void *unused)
{
	(void)unused;
	return buffer_get(&buffer);
}

/* Main takes back what it has put, if it is still there, and puts something
 * else: what the other gets in the end. */
static void test_steal(void)
{
	struct thread *a = thread_create(PRIORITY_NORMAL, get_one, NULL);
	buffer_put(&buffer, 1);
	int stolen = buffer_poll(&buffer);
	thread_yield();
	if (stolen)
		buffer_put(&buffer, 2);
	ASSERT(thread_join(a) == 1 + stolen);
}

static int nap(void *unused)
{
	(void)unused;
	word before = ticks_passed();
	thread_sleep(1);
	ASSERT(ticks_passed() > before);
	return 0;
}

/* Two threads sleep for a tick. */
static void test_sleep(void)
{
	struct thread *a = thread_create(PRIORITY_NORMAL, nap, NULL);
	nap(NULL);
	thread_join(a);
}

static int nap_up(void *unused)
{
	thread_sleep(1);
	return up(unused);
}

/* Main waits for one that sleeps first. */
static void test_alarm(void)
{
	thread_create(PRIORITY_NORMAL, nap_up, NULL);
	semaphore_down(&semaphore);
	ASSERT(counter == 1);
}

static struct lock outer, inner;
static volatile bool high_done;

/* A thread of middle priority has nothing to do before high is done. */
static int middle(void *unused)
{
	(void)unused;
	ASSERT(high_done);
	return 0;
}

static int high(void *unused)
{
	(void)unused;
	thread_create(PRIORITY_NORMAL + 1, middle, NULL);
	lock_acquire(&outer);
	high_done = true;
	lock_release(&outer);
	return 0;
}

static int start_high(void *unused)
{
	(void)unused;
	return thread_join(thread_create(PRIORITY_NORMAL + 2, high, NULL));
}

/* High waits for a lock that main holds; middle mustn't keep main from it. */
static void test_donate(void)
{
	struct thread *a = thread_create(PRIORITY_NORMAL, start_high, NULL);
	lock_acquire(&outer);
	lock_release(&outer);
	thread_join(a);
}

/* The same, and main holds a second lock for a part of the time. */
static void test_donate_two(void)
{
	struct thread *a = thread_create(PRIORITY_NORMAL, start_high, NULL);
	lock_acquire(&outer);
	lock_acquire(&inner);
	lock_release(&inner);
	lock_release(&outer);
	thread_join(a);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{"create", test_create}, {"join", test_join}, {"leave", test_leave}, {"yield", test_yield},
	{"lock", test_lock}, {"race", test_race}, {"semaphore", test_semaphore},
	{"await", test_await}, {"watch", test_watch},
	{"buffer", test_buffer}, {"steal", test_steal}, {"sleep", test_sleep}, {"alarm", test_alarm},
	{"donate", test_donate}, {"donate_two", test_donate_two},
};

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

bool run_test(const char *name)
{
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		if (same(name, tests[i].name)) {
			tests[i].run();
			return true;
		}
	return false;
}
