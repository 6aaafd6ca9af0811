// expect: verified  a new thread rounds as its creator does, and changes its own rounding only
#include "common.h"
static unsigned sse(void) {
	unsigned r;
	__asm__ volatile("stmxcsr %0" : "=m"(r));
	return r & 0x6000;
}
static unsigned x87(void) {
	unsigned short r;
	__asm__ volatile("fnstcw %0" : "=m"(r));
	return r & 0xc00;
}
static void round_as(unsigned how) { // 1 is down, 2 is up, 3 is toward zero
	unsigned m = 0x1f80 | how << 13;
	unsigned short c = 0x37f | how << 10;
	__asm__ volatile("ldmxcsr %0; fldcw %1" : : "m"(m), "m"(c));
}
static int rounds_as(unsigned how) {
	return sse() == how << 13 && x87() == how << 10;
}
static int ran;
static void *a(void *p) {
	assert(rounds_as(2));
	round_as(3);
	__atomic_add_fetch(&ran, 1, __ATOMIC_SEQ_CST);
	assert(rounds_as(3));
	return p;
}
static void *b(void *p) {
	__atomic_add_fetch(&ran, 1, __ATOMIC_SEQ_CST);
	assert(rounds_as(2));
	return p;
}
int main(void) {
	round_as(2);
	both(a, b);
	assert(rounds_as(2) && ran == 2);
	return 0;
}
