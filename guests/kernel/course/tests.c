/* The tests, and the end. Main is the first thread. */
#include "course.h"

_Noreturn void debug_panic(const char *file, int line, const char *function, const char *format, const char *message)
{
	(void)function, (void)format;
	panic(file, line, message);
}

static struct semaphore posted, done, mutex = {.value = 1};
static volatile int counter;

static void poster(void *unused)
{
	(void)unused;
	sema_up(&posted);
}

/* Main waits for what another does. */
static void test_post(void)
{
	thread_create("poster", 31, poster, NULL);
	sema_down(&posted);
}

static void increment(void *unused)
{
	(void)unused;
	sema_down(&mutex);
	counter++;
	sema_up(&mutex);
	sema_up(&done);
}

/* Two threads, a section each. */
static void test_guard(void)
{
	thread_create("other", 31, increment, NULL);
	increment(NULL);
	sema_down(&done);
	sema_down(&done);
	ASSERT(counter == 2);
}

static volatile int arrived[2];

static void first(void *unused)
{
	(void)unused;
	while (!arrived[0])
		thread_yield();
	arrived[1] = 1;
}

/* Main yields, and no other thread would come. */
static void test_loneliness(void)
{
	thread_create("poster", 31, poster, NULL);
	sema_down(&posted);
	while (!arrived[1])
		thread_yield();
}

/* Two threads yield until the other has come: the test is wrong. */
static void test_politeness(void)
{
	thread_create("first", 31, first, NULL);
	while (!arrived[1])
		thread_yield();
	arrived[0] = 1;
}

static void napper(void *unused)
{
	(void)unused;
	int64_t start = timer_ticks();
	timer_sleep(1);
	ASSERT(timer_ticks() - start >= 1);
	sema_up(&done);
}

static void sleeper(void *unused)
{
	(void)unused;
	timer_sleep(1);
	sema_up(&done);
}

/* Two threads sleep, by yielding to each other. */
static void test_nap(void)
{
	thread_create("sleeper", 31, sleeper, NULL);
	napper(NULL);
	sema_down(&done);
	sema_down(&done);
}

static void late(void *unused)
{
	(void)unused;
	timer_sleep(1500);
	sema_up(&done);
}

/* Two threads sleep for long, by yielding. */
static void test_long_nap(void)
{
	thread_create("late", 31, late, NULL);
	late(NULL);
	sema_down(&done);
	sema_down(&done);
}

/* Two threads sleep, in a list. */
static void test_doze(void)
{
	timer_queues = true;
	test_nap();
}

static void oversleeper(void *unused)
{
	(void)unused;
	sema_up(&done);
	timer_sleep(10000000);
}

/* Main ends, while another sleeps for a day. */
static void test_oversleep(void)
{
	timer_queues = true;
	thread_create("oversleeper", 31, oversleeper, NULL);
	sema_down(&done);
}

static void worker(void *unused)
{
	(void)unused;
	int64_t start = timer_ticks();
	for (int i = 0; i < 4; i++) {
		counter++;
		thread_yield();
	}
	ASSERT(timer_ticks() != start);
	sema_up(&done);
}

/* Main sleeps while another works, and yields between: the test is wrong, because that takes no
 * time. */
static void test_work(void)
{
	thread_create("worker", 31, worker, NULL);
	counter = 0;
	napper(NULL);
	sema_down(&done);
	sema_down(&done);
}

static void writer(void *letter)
{
	screen_letter(*(char *)letter);
	sema_up(&done);
}

/* Two letters come onto the screen. */
static void test_letters(void)
{
	static char letters[] = "ab";
	thread_create("writer", 31, writer, letters);
	writer(letters + 1);
	sema_down(&done);
	sema_down(&done);
	int sum = 0;
	for (int i = 0; i < CELLS; i++)
		sum += screen[i] & 0xff;
	ASSERT(sum == 'a' + 'b');
}

static void scroller(void *unused)
{
	(void)unused;
	screen_scroll();
	sema_up(&done);
}

/* The screen goes up by two lines, with what is on it. */
static void test_scroll(void)
{
	screen[2 * COLUMNS + 1] = 'x';
	screen[(ROWS - 1) * COLUMNS] = 'y';
	thread_create("scroller", 31, scroller, NULL);
	scroller(NULL);
	sema_down(&done);
	sema_down(&done);
	ASSERT(screen[1] == 'x');
	ASSERT(screen[(ROWS - 3) * COLUMNS] == 'y');
	ASSERT(screen[(ROWS - 1) * COLUMNS] == 0x720);
}

static char text[4];

static void copier(void *letters)
{
	bool on = interrupts_off();
	memmove(text, letters, sizeof text);
	interrupts_restore(on);
	sema_up(&done);
}

/* Two threads copy to the same memory, which isn't the screen's: the last to do
 * so is seen. */
static void test_copy(void)
{
	thread_create("copier", 31, copier, "aaa");
	copier("bbb");
	sema_down(&done);
	sema_down(&done);
}

bool run_test(const char *name)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} tests[] = {
		{"post", test_post}, {"guard", test_guard}, {"nap", test_nap}, {"doze", test_doze}, {"oversleep", test_oversleep},
		{"long_nap", test_long_nap}, {"politeness", test_politeness}, {"loneliness", test_loneliness}, {"work", test_work}, {"letters", test_letters}, {"scroll", test_scroll}, {"copy", test_copy},
	};
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		const char *a = tests[i].name, *b = name;
		while (*a && *a == *b)
			a++, b++;
		if (*a == *b) {
			tests[i].run();
			return true;
		}
	}
	return false;
}
