/* The text screen, at its address: boot.S has it mapped there. */
#include "course.h"

void *memmove(void *to, const void *from, size_t size)
{
	volatile char *t = to;
	const volatile char *f = from;
	if (t < f)
		for (size_t i = 0; i < size; i++)
			t[i] = f[i];
	else
		while (size-- > 0)
			t[size] = f[size];
	return to;
}

void screen_letter(char c)
{
	bool on = LETTER_OPEN ? false : interrupts_off();
	memmove(screen, screen + 1, (CELLS - 1) * sizeof *screen);
	screen[CELLS - 1] = 0x700 | c;
	interrupts_restore(on);
}

void screen_scroll(void)
{
	bool on = LETTER_OPEN ? false : interrupts_off();
	memmove(screen, screen + COLUMNS, (ROWS - 1) * COLUMNS * sizeof *screen);
	for (int i = 0; i < COLUMNS; i++)
		screen[(ROWS - 1) * COLUMNS + i] = 0x720;
	interrupts_restore(on);
}
