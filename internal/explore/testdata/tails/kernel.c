/* Two threads add to balance, without anything against each other. The first read comes
 * with BEGIN, before a tick can come: ticks that pass over a new thread run it too. */
#include "landgo.h"

typedef unsigned u32;
typedef unsigned short u16;
typedef unsigned char u8;

static inline void outb(u16 port, u8 v) { __asm__ volatile("outb %0, %1" : : "a"(v), "Nd"(port)); }

enum { FREE, READY, RUNNING, DEAD };

static struct thread {
	u32 *sp;
	int state, id;
} threads[3], *current;
static u32 stacks[3][1024];
static volatile int balance, done;

void switch_stacks(u32 **save, u32 *to);
void timer_entry(void);
void fault_entry(void);

static void panic(const char *why)
{
	__asm__ volatile("cli");
	landgo_panicked(why);
	for (;;)
		__asm__ volatile("hlt");
}

void fault(void) { panic("fault"); }

static void schedule(void)
{
	struct thread *me = current, *next = me;
	for (int i = 1; i < 3 && next == me; i++) {
		struct thread *t = &threads[(me->id + i) % 3];
		if (t->state == READY)
			next = t;
	}
	if (next == me)
		return;
	if (me->state == RUNNING) {
		me->state = READY;
		landgo_ready((unsigned long)me);
	}
	next->state = RUNNING;
	current = next;
	landgo_switch((unsigned long)next);
	switch_stacks(&me->sp, next->sp);
}

void timer(void)
{
	outb(0x20, 0x20);
	schedule();
}

static void leave(void)
{
	__asm__ volatile("cli");
	current->state = DEAD;
	if (++done == 2) {
		if (balance != 2)
			panic("balance isn't 2");
		outb(0xf4, 0);
	}
	landgo_exited((unsigned long)current);
	schedule();
	for (;;)
		;
}

static void work(void)
{
	int seen;
	BEGIN;
	balance = seen + 1;
	leave();
}

static void create(int i)
{
	u32 *sp = &stacks[i][1024];
	*--sp = (u32)leave;
	*--sp = (u32)work;
	threads[i].sp = sp - 4;
	threads[i].id = i;
	threads[i].state = READY;
	landgo_created((unsigned long)&threads[i]);
	landgo_ready((unsigned long)&threads[i]);
}

static struct { u16 low, selector; u8 zero, kind; u16 high; } __attribute__((packed)) gates[256];
static struct { u16 limit; u32 base; } __attribute__((packed)) table;
static unsigned long long segments[3] = {0, 0x00cf9a000000ffffull, 0x00cf92000000ffffull};

static void gate(int n, void (*f)(void))
{
	gates[n].low = (u32)f;
	gates[n].high = (u32)f >> 16;
	gates[n].selector = 8;
	gates[n].kind = 0x8e;
}

void kernel(void)
{
	static const u8 set_up[][2] = {{0x20, 0x11}, {0xa0, 0x11}, {0x21, 32}, {0xa1, 40}, {0x21, 4}, {0xa1, 2}, {0x21, 1}, {0xa1, 1}, {0x21, 0xfe}, {0xa1, 0xff}, {0x43, 0x34}, {0x40, 0x9c}, {0x40, 0x2e}};
	table.limit = sizeof segments - 1;
	table.base = (u32)segments;
	__asm__ volatile("lgdt %0; ljmp $8, $1f; 1: mov $16, %%ax; mov %%ax, %%ds; mov %%ax, %%es; mov %%ax, %%ss" : : "m"(table) : "eax");
	for (int i = 0; i < 32; i++)
		gate(i, fault_entry);
	gate(32, timer_entry);
	table.limit = sizeof gates - 1;
	table.base = (u32)gates;
	__asm__ volatile("lidt %0" : : "m"(table));
	for (unsigned i = 0; i < sizeof set_up / 2; i++)
		outb(set_up[i][0], set_up[i][1]);
	current = &threads[0];
	threads[0].state = RUNNING;
	landgo_created((unsigned long)current);
	landgo_idle((unsigned long)current);
	landgo_switch((unsigned long)current);
	create(1);
	create(2);
	landgo_booted();
	__asm__ volatile("sti");
	for (;;)
		__asm__ volatile("hlt");
}
