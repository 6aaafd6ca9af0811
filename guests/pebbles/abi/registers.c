/* abi.md §3: a call changes %rax and nothing else; a packet's int is the low
 * half of its word. */
#include "pebbles.h"

struct regs {
#ifdef __i386__
	unsigned long ax, bx, cx, dx, si, di, bp, flags;
#else
	unsigned long ax, bx, cx, dx, si, di, bp, r8, r9, r10, r11, r12, r13, r14, r15, flags;
#endif
};

void call_gettid(struct regs *before, struct regs *after);
void call_new_pages(struct regs *before, struct regs *after);
long raw_sleep(long rsi);

static struct regs before, after;

static void fill(void)
{
	unsigned long *p = (unsigned long *)&before;
	for (unsigned i = 0; i < sizeof before / sizeof *p - 1; i++)
		p[i] = (unsigned long)0x1234567812340001ull * (i + 3);
	before.flags = 0x202 | 0x8d5; /* all status flags but DF */
}

static void same(void)
{
	const unsigned long *p = (const unsigned long *)&before, *q = (const unsigned long *)&after;
	for (unsigned i = 1; i < sizeof before / sizeof *p; i++)
		assert(p[i] == q[i]);
}

int main(void)
{
	fill();
	call_gettid(&before, &after);
	same();
	assert(after.ax == 1);

	/* The upper half of len's word is ignored, where there is one. */
	unsigned long packet[2] = {0x30000000, (unsigned long)(0xdeadbeef00000000 | PAGE_SIZE)};
	fill();
	before.si = (unsigned long)packet;
	call_new_pages(&before, &after);
	same();
	assert(after.ax == 0);
	*(volatile char *)0x30000000 = 1;

	/* A failure is sign-extended: the same call again finds the page in use. */
	call_new_pages(&before, &after);
	assert((long)after.ax == ERR_MEMORY);

	/* An int in %rsi, too: 0x7...00000000 ticks are 0. */
	assert(raw_sleep((long)0x7fffffff00000000) == 0);
	assert(raw_sleep((long)0x00000000ffffffff) == ERR_ARGUMENT);
	return 0;
}
