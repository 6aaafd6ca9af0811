/* abi.md §3: a call changes %rax and nothing else; a packet's int is the low
 * half of its word. */
#include "pebbles.h"

struct regs {
	unsigned long rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15, flags;
};

void call_gettid(struct regs *before, struct regs *after);
void call_new_pages(struct regs *before, struct regs *after);
long raw_sleep(long rsi);

static struct regs before, after;

static void fill(void)
{
	unsigned long *p = (unsigned long *)&before;
	for (unsigned i = 0; i < sizeof before / sizeof *p - 1; i++)
		p[i] = 0x1234567800000001ul * (i + 3);
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
	assert(after.rax == 1);

	/* The upper half of len's word is ignored. */
	unsigned long packet[2] = {0x30000000, 0xdeadbeef00000000 | PAGE_SIZE};
	fill();
	before.rsi = (unsigned long)packet;
	call_new_pages(&before, &after);
	same();
	assert(after.rax == 0);
	*(volatile char *)0x30000000 = 1;

	/* A failure is sign-extended: the same call again finds the page in use. */
	call_new_pages(&before, &after);
	assert((long)after.rax == ERR_MEMORY);

	/* An int in %rsi, too: 0x7...00000000 ticks are 0. */
	assert(raw_sleep(0x7fffffff00000000) == 0);
	assert(raw_sleep(0x00000000ffffffff) == ERR_ARGUMENT);
	return 0;
}
