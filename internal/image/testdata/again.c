/* For TestAgain: calls of halt in loops and outside. For TestDecides: looks at flag. */

#include <stdio.h>

volatile int left, flag, data, sum;

void halt(void) { sum++; }
void other(void) { sum--; }

void in_loop(void)
{
	other();
	while (!left)
		halt();
	printf("%d", sum); /* the last call: a jump */
}

void in_outer(void)
{
	for (;;) {
		other();
		if (!left)
			halt();
		if (flag)
			return;
	}
}

void in_none(void)
{
	other();
	if (!left)
		halt();
	other();
}

int decided(void)
{
	while (!flag)
		;
	return data;
}

int together(void) { return flag + data; }

int main(void)
{
	in_loop();
	in_outer();
	in_none();
	return decided() + together();
}
