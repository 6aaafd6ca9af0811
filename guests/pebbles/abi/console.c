/* abi.md §9: input and output. The input is "ab\nlonger line\nend". */
#include "pebbles.h"

int main(void)
{
	char buf[16];

	assert(getchar() == 'a');
	assert(readline(16, buf) == 2 && memcmp(buf, "b\n", 2) == 0);
	assert(readline(0, buf) == 0);
	assert(readline(6, buf) == 6 && memcmp(buf, "longer", 6) == 0);
	assert(readline(16, buf) == 6 && memcmp(buf, " line\n", 6) == 0);
	assert(readline(16, buf) == 3 && memcmp(buf, "end", 3) == 0);
	assert(print(5, "done\n") == 0);
	assert(printf("%d %s %x %5d|%05d|%c %p %lu%%\n", -1, "two", 0x3au, 4, -5, '6', (void *)7, 8ul) > 0);
	assert(set_term_color(0x8f) == 0);
	assert(set_cursor_pos(24, 79) == 0);
	misbehave(12);
	return 0;
}
