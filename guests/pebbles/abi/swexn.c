/* abi.md §8: exceptions, from each kind of fault to going on after it. */
#include "pebbles.h"

#ifdef __i386__
#define UREG(name) e##name
#define CX "%ecx"
#else
#define UREG(name) r##name
#define CX "%rcx"
#endif
#define NOWHERE ((volatile char *)0x70000000)

static char stack[PAGE_SIZE] __attribute__((aligned(16)));
static ureg_t seen;
static void *seen_arg;
static int handled;
static unsigned long skip; /* length of the faulting instruction */

static void handler(void *arg, ureg_t *ureg)
{
	/* The return address lies below a multiple of 16, and the frame below it. */
	assert((unsigned long)__builtin_frame_address(0) % 16 == 16 - 2 * sizeof(void *));
	assert((char *)ureg >= stack && (char *)(ureg + 1) <= stack + sizeof stack);
	assert(__builtin_return_address(0) == NULL);
	seen = *ureg;
	seen_arg = arg;
	handled++;
	ureg->UREG(ip) += skip;
	ureg->UREG(ax) = 99;
	swexn(NULL, NULL, NULL, ureg);
	assert(0);
}

static void arm(unsigned long n)
{
	skip = n;
	assert(swexn(stack + sizeof stack, handler, &handled, NULL) == 0);
}

static void expect(int count, unsigned long cause, unsigned long cr2, unsigned long code)
{
	assert(handled == count);
	assert(seen_arg == &handled);
	assert(seen.cause == cause);
	assert(seen.cr2 == cr2);
	assert(seen.error_code == code);
	assert(seen.cs == 0x23 && seen.ss == 0x2b && seen.ds == 0x2b && seen.zero == 0);
	assert(seen.UREG(flags) & 0x200);
}

int main(void)
{
	unsigned long rax, zero;

	/* movb (%rcx), %al: 2 bytes; its registers are those at the fault. */
	arm(2);
#ifdef __i386__
	__asm__ volatile("mov $0x55667788, %%edi; mov $5, %%eax; movb (%%ecx), %%al"
			 : "=a"(rax) : "c"(NOWHERE) : "edi", "memory");
	assert(seen.edi == 0x55667788);
#else
	__asm__ volatile("mov $0x1122334455667788, %%r15; mov $5, %%eax; movb (%%rcx), %%al"
			 : "=a"(rax) : "c"(NOWHERE) : "r15", "memory");
	assert(seen.r15 == 0x1122334455667788);
#endif
	expect(1, SWEXN_CAUSE_PAGEFAULT, (unsigned long)NOWHERE, 4);
	assert(rax == 99 && seen.UREG(ax) == 5 && seen.UREG(cx) == (unsigned long)NOWHERE);

	/* A write, to a page that isn't there, and to one that can't be written. */
	arm(2);
	__asm__ volatile("movb %%al, (%" CX ")" : "=a"(rax) : "c"(NOWHERE) : "memory");
	expect(2, SWEXN_CAUSE_PAGEFAULT, (unsigned long)NOWHERE, 6);
	arm(2);
	__asm__ volatile("movb %%al, (%" CX ")" : "=a"(rax) : "c"(main) : "memory");
	expect(3, SWEXN_CAUSE_PAGEFAULT, (unsigned long)main, 7);

	/* divl %ecx, ud2: 2 bytes each; int3 is passed already. */
	arm(2);
	__asm__ volatile("divl %%ecx" : "=a"(rax), "=d"(zero) : "c"(0), "0"(1), "1"(0) : "cc");
	expect(4, SWEXN_CAUSE_DIVIDE, 0, 0);
	arm(2);
	__asm__ volatile("ud2" : "=a"(rax));
	expect(5, SWEXN_CAUSE_OPCODE, 0, 0);
	arm(0);
	__asm__ volatile("int3" : "=a"(rax));
	expect(6, SWEXN_CAUSE_BREAKPOINT, 0, 0);
	assert(rax == 99);
	arm(1);
	__asm__ volatile("cli" : "=a"(rax));
	expect(7, SWEXN_CAUSE_PROTFAULT, 0, 0);

	/* What newureg may not be; then nothing else is done either. */
	ureg_t bad = seen;
	bad.UREG(ip) = 0x70000000;
	assert(swexn(NULL, NULL, NULL, &bad) == ERR_ARGUMENT);
	bad = seen;
	bad.cs = 0x10;
	assert(swexn(NULL, NULL, NULL, &bad) == ERR_ARGUMENT);
	bad = seen;
	bad.ss = 0x23;
	assert(swexn(NULL, NULL, NULL, &bad) == ERR_ARGUMENT);
	bad = seen;
	bad.UREG(flags) &= ~0x200ul; /* interrupts off */
	assert(swexn(NULL, NULL, NULL, &bad) == ERR_ARGUMENT);
	bad = seen;
	bad.UREG(flags) |= 0x3000; /* ports */
	assert(swexn(NULL, NULL, NULL, &bad) == ERR_ARGUMENT);
	assert(swexn(stack + sizeof stack, (swexn_handler_t)0x70000000, NULL, NULL) == ERR_ARGUMENT);
	assert(swexn((char *)NOWHERE, handler, NULL, NULL) == ERR_POINTER);
	assert(swexn((void *)8, handler, NULL, NULL) == ERR_POINTER);
	arm(2);
	assert(swexn(NULL, NULL, NULL, &bad) == ERR_ARGUMENT);
	__asm__ volatile("ud2" : "=a"(rax)); /* still armed */
	expect(8, SWEXN_CAUSE_OPCODE, 0, 0);
	return 0;
}
