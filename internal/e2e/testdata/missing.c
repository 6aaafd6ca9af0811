/* What a thread finds where another one maps pages and takes them away: a call that
 * fails, or a fault that a handler gets. The first argument chooses the program, and
 * there is an order in which each one's assertion fails. */
#include "child.h"

#define AT ((char *)0x30000000)
#define MANY (160 << 20)

static char handlers[PAGE_SIZE];
static volatile int result = 100, ready;

static void ended(void *arg, ureg_t *ureg)
{
	(void)arg, (void)ureg;
	result = -100;
	vanish();
}

/* Maps the page that is missing, or finds that another thread has. */
static void mapped(void *arg, ureg_t *ureg)
{
	result = new_pages(AT, PAGE_SIZE) < 0 ? 2 : 1;
	swexn(handlers + PAGE_SIZE, mapped, arg, ureg);
}

static void prints(void *arg) { (void)arg, result = print(1, AT), vanish(); }
static void reads(void *arg) { (void)arg, result = deschedule((int *)AT), vanish(); }
static void registers(void *arg) { (void)arg, result = swexn(AT + PAGE_SIZE, ended, NULL, NULL), vanish(); }
static void asks(void *arg) { (void)arg, result = new_pages(AT, MANY), vanish(); }

static void faults(void *arg)
{
	(void)arg;
	swexn(handlers + PAGE_SIZE, ended, NULL, NULL);
	result = *(volatile char *)AT;
	vanish();
}

static void grows(void *arg)
{
	(void)arg;
	swexn(handlers + PAGE_SIZE, mapped, NULL, NULL);
	ready = 1;
	*(volatile char *)AT = 1;
	if (result == 100)
		result = 0;
	vanish();
}

static void finish(void)
{
	while (result == 100)
		yield(-1);
}

/* The page goes while another thread uses it: that may come first or last. */
static int removed(void (*child)(void *))
{
	new_pages(AT, PAGE_SIZE);
	*(int *)AT = 1;
	start(0, child, NULL);
	remove_pages(AT);
	finish();
	return result;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "print") == 0)
		assert(removed(prints) < 0);
	if (strcmp(what, "deschedule") == 0)
		assert(removed(reads) < 0);
	if (strcmp(what, "swexn") == 0)
		assert(removed(registers) < 0);
	if (strcmp(what, "no-swexn") == 0)
		assert(removed(registers) == 0);
	if (strcmp(what, "fault") == 0)
		assert(removed(faults) < 0);
	if (strcmp(what, "no-fault") == 0)
		assert(removed(faults) >= 0);
	if (strcmp(what, "limit") == 0) {
		start(0, asks, NULL);
		assert(new_pages(AT + 2 * MANY, MANY) == 0);
	}
	for (int way = 0; way < 3; way++) {
		if (strcmp(what, "grow") != 0 || argc < 3 || argv[2][0] != '0' + way)
			continue;
		start(0, grows, NULL);
		while (!ready)
			yield(-1);
		new_pages(AT, PAGE_SIZE);
		finish();
		assert(result != way);
	}
	return 0;
}
