/* Two threads that count in one variable, without a libc: nothing but accesses, one clone and one futex. It is for
 * measuring steps per second; micro is the same loop with a libc. K additions each, of two accesses. */
#ifndef K
#define K 5
#endif

enum { CLONE = 56, EXIT = 60, FUTEX = 202, EXIT_GROUP = 231 };
enum { THREAD = 0x1350f00 }; /* VM FS FILES SIGHAND THREAD SYSVSEM, PARENT_SETTID, CHILD_CLEARTID */

volatile int count;
volatile int child; /* its thread id until it has ended */
char stack[4096] __attribute__((aligned(16)));

__attribute__((noinline, used)) void work(void)
{
	for (int i = 0; i < K; i++)
		count = count + 1;
}

static long call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	__asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return number;
}

/* The child starts with nothing on its stack, so it must not return from the function that made it. */
static void start(void)
{
	long result = CLONE;
	register volatile int *r10 __asm__("r10") = &child;
	register long r8 __asm__("r8") = 0;
	__asm__ volatile("syscall\n\t"
			 "test %%eax, %%eax\n\t"
			 "jnz 1f\n\t"
			 "call work\n\t"
			 "mov %[exit], %%eax\n\t"
			 "xor %%edi, %%edi\n\t"
			 "syscall\n"
			 "1:"
			 : "+a"(result)
			 : "D"((long)THREAD), "S"(stack + sizeof stack), "d"(&child), "r"(r10), "r"(r8), [exit] "i"(EXIT)
			 : "rcx", "r11", "memory");
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
	start();
	work();
	for (int id; (id = child) != 0;)
		call(FUTEX, (long)&child, 0, id, 0);
	call(EXIT_GROUP, 0, 0, 0, 0);
	__builtin_unreachable();
}
