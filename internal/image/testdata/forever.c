#include <sched.h>
#include <unistd.h>

volatile int flag;
static void __attribute__((noinline)) nap(void)
{
	sched_yield();
	__asm__ volatile("in_callee:");
}
static void __attribute__((noinline)) look(void)
{
	sched_yield();
	if (flag)
		_exit(0);
}
void plain(void)
{
	for (;;) {
		__asm__ volatile("in_plain:");
		sched_yield();
	}
}
void calls(void)
{
	for (;;) {
		__asm__ volatile("in_calls:");
		nap();
	}
}
void condition(void)
{
	while (!flag) {
		__asm__ volatile("in_condition:");
		sched_yield();
	}
}
void within(void)
{
	for (;;) {
		__asm__ volatile("in_within:");
		look();
	}
}
void pointer(void (*f)(void))
{
	for (;;) {
		__asm__ volatile("in_pointer:");
		f();
	}
}
void ends(void)
{
	sched_yield();
	__asm__ volatile("in_ends:");
}
void leaves(void)
{
	sched_yield();
	__asm__ volatile("in_leaves:");
	_exit(0);
}
void behind(void)
{
	for (;;)
		sched_yield();
}
int main(void)
{
	plain();
	calls();
	condition();
	within();
	pointer(nap);
	ends();
	leaves();
	behind();
	return 0;
}
