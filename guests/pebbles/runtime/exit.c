/* The task's end, and what a library may put in its place (weak). */
#include "pebbles.h"

/* Not weak functions of a library's: main's return ends main's thread, and the
 * task once the others are gone too, as on the real system. */
__attribute__((weak)) void exit(int status)
{
	set_status(status);
	vanish();
}

__attribute__((weak)) void install_autostack(void *stack_high, void *stack_low)
{
	(void)stack_high;
	(void)stack_low;
}

void panic(const char *format, ...)
{
	va_list args;
	char line[256];

	va_start(args, format);
	int n = vsnprintf(line, sizeof line - 1, format, args);
	va_end(args);
	if (n > (int)sizeof line - 2)
		n = sizeof line - 2;
	line[n++] = '\n';
	print(n, line);
	task_vanish(-1);
}

void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
	printf("%s:%u: %s: assertion failed: %s\n", file, line, function, expression);
	task_vanish(-1);
}
