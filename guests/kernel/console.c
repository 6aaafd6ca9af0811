/* The first serial line, one character after the other: a thread that prints waits
 * until the line has room. Lines of two threads can mix. */
#include "kernel.h"
#include "machine.h"

enum {
	SERIAL = 0x3f8,
	DATA = SERIAL, INTERRUPTS = SERIAL + 1, FIFO = SERIAL + 2, FORMAT = SERIAL + 3,
	MODEM = SERIAL + 4, STATUS = SERIAL + 5,
	EIGHT_BITS = 0x03, DIVISOR = 0x80, ROOM = 0x20,
};

void console_setup(void)
{
	out8(INTERRUPTS, 0);
	out8(FORMAT, DIVISOR);
	out8(DATA, 1); /* 115200 baud */
	out8(INTERRUPTS, 0);
	out8(FORMAT, EIGHT_BITS);
	out8(FIFO, 0x07);
	out8(MODEM, 0x03);
}

void print(const char *text)
{
	for (; *text; text++) {
		while (!(in8(STATUS) & ROOM))
			;
		out8(DATA, *text);
	}
}

void print_number(word n)
{
	char digits[21], *d = digits + sizeof digits - 1;
	*d = 0;
	do
		*--d = '0' + n % 10;
	while (n /= 10);
	print(d);
}
