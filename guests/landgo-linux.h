/* What a program on Linux asks of landgo. "landgo header --linux" prints this file.
 *
 * Both are system calls that Linux hasn't got: no library is needed, and no symbol. Without
 * landgo the program runs all the same: a choice is 0, and a program ends well, with status
 * 0, where something that it assumes doesn't hold. */
#ifndef LANDGO_LINUX_H
#define LANDGO_LINUX_H

#ifdef __cplusplus
extern "C" {
#endif

#if !defined __x86_64__
#error "landgo-linux.h is for x86-64"
#endif

static inline __attribute__((always_inline)) long landgo_call(long number, long argument)
{
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(argument) : "rcx", "r11", "memory");
	return result;
}

/* One of 0, 1, ... n-1: landgo runs the program with each. n is from 1 to 65536. */
static inline __attribute__((always_inline)) int landgo_choice(int n)
{
	long chosen = landgo_call(0x2c676f00, n);
	return chosen < 0 ? 0 : (int)chosen;
}

static inline __attribute__((always_inline)) void landgo_assume_fails(void)
{
	landgo_call(0x2c676f01, 0);
	for (;;)
		landgo_call(231, 0); /* without landgo: exit_group(0) */
}

/* An execution in which the condition doesn't hold isn't looked at any further: it is no
 * bug, and no pass. What other threads do that doesn't come after it counts all the same,
 * for it could have come before. */
#define landgo_assume(condition) ((condition) ? (void)0 : landgo_assume_fails())

#ifdef __cplusplus
}
#endif
#endif
