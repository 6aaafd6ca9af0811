/* From boot.S to power-off. The command line says what to do in between:
 *
 *	test=NAME	run this test
 *	memtest=N	first go through all free memory N times */
#include "kernel.h"
#include "landgo.h"

/* boot.S: what the loader gave, cut off after 127 characters. */
extern char command_line[];

/* option is the value of an option on the command line, up to its end or to a
 * blank, as a string of its own; "" if it isn't there. */
static const char *option(const char *name)
{
	static char value[32];
	size_t length = 0;
	for (const char *c = command_line; *c; c++) {
		const char *n = name, *at = c;
		while (*n && *n == *at)
			n++, at++;
		if (*n || (c > command_line && c[-1] != ' '))
			continue;
		while (*at && *at != ' ' && length < sizeof value - 1)
			value[length++] = *at++;
		break;
	}
	value[length] = 0;
	return value;
}

static int number(const char *digits)
{
	int n = 0;
	while (*digits)
		n = n * 10 + *digits++ - '0';
	return n;
}

_Noreturn void kernel_main(void)
{
	console_setup();
	pages_setup();
	for (int turns = number(option("memtest=")); turns > 0; turns--)
		pages_test();
	interrupts_setup();
	threads_setup();
	landgo_booted();
	interrupts_restore(true);

	const char *test = option("test=");
	if (!run_test(test))
		panic(__FILE__, __LINE__, "no such test: README.md lists what test= can be");
	print("test ");
	print(test);
	print(": passed\n");
	power_off();
}
