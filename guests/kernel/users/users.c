/* A kernel with user programs, in the shape of xv6. Processes have address spaces of
 * their own, and call the kernel by a trap. A scheduler with a stack of its own goes
 * through a table; threads sleep on a channel. Its clock is the local APIC's, which it
 * finds by the tables of multiprocessors. i386 only, without annotations: users.yaml
 * describes it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../machine.h"
#include "calls.h"
#include "variant.h"

enum {
	PAGE = 4096, ABOVE = 0x80000000,
	PRESENT = 1, WRITABLE = 2, USER = 4,

	KERNEL_CODE = 8, KERNEL_DATA = 16, USER_CODE = 24 | 3, USER_DATA = 32 | 3, TASK = 40,
	INTERRUPT_GATE = 0x8e00, USER_TRAP_GATE = 0xef00, TIMER = 0x40, CALL = 0x80, SPURIOUS = 0xff,
	INTERRUPTS_ON = 0x200,

	/* Registers of the local APIC, as indices of words. */
	ID = 0x20 / 4, TASK_PRIORITY = 0x80 / 4, END = 0xb0 / 4, SPURIOUS_VECTOR = 0xf0 / 4,
	TIMER_ENTRY = 0x320 / 4, LINE_0 = 0x350 / 4, LINE_1 = 0x360 / 4, COUNT = 0x380 / 4, DIVIDER = 0x3e0 / 4,
	APIC_ON = 0x100, PERIODIC = 0x20000, MASKED = 0x10000,
	/* And of the I/O APIC. */
	CHOICE = 0, DATA = 4, VERSION = 1, LINES = 0x10,
};

enum state { UNUSED, SLEEPING, RUNNABLE, RUNNING, ZOMBIE };

/* What enter has pushed. */
struct frame {
	uint32_t edi, esi, ebp, unused, ebx, edx, ecx, eax;
	uint32_t es, ds, vector;
	uint32_t eip, cs, flags, esp, ss;
};

struct process {
	enum state state;
	void *channel; /* that it sleeps on */
	struct process *parent;
	void *stack; /* where it stands in the kernel */
	uint32_t pages; /* physical */
};

struct process processes[PROCESSES];
struct process *running; /* null: the scheduler */
static void *scheduler_stack;
static bool locked;
static int input; /* a channel: no key is pressed */
static volatile uint32_t *apic, *io_apic;

static uint8_t stacks[PROCESSES][PAGE] __attribute__((aligned(4096)));
static uint32_t directories[PROCESSES][1024] __attribute__((aligned(4096)));
static uint32_t tables[PROCESSES][1024] __attribute__((aligned(4096)));
static uint8_t programs[PROCESSES][PAGE] __attribute__((aligned(4096)));
static uint8_t user_stacks[PROCESSES][PAGE] __attribute__((aligned(4096)));
static volatile int shared[PAGE / 4] __attribute__((aligned(4096)));

static uint64_t segments[6] = {0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00cffb000000ffff, 0x00cff3000000ffff, 0};
static struct { uint32_t link, esp0, ss0, rest[23]; } task;
static struct gate { uint16_t low, selector, type, high; } gates[256];

extern char command_line[], program[], program_end[];
extern uint32_t kernel_pages[1024];
void timer_entry(void), call_entry(void), leave_kernel(void);
void switch_stacks(void **from, void *to);

static void print(const char *text)
{
	for (; *text; text++)
		out8(0x3f8, *text);
}

__attribute__((noinline)) _Noreturn void panic(const char *message)
{
	print(message);
	out8(0xf4, 1);
	for (;;)
		__asm__ volatile("cli; hlt");
}

static bool off(void)
{
	uint32_t flags;
	__asm__ volatile("pushf; pop %0; cli" : "=r"(flags) : : "memory");
	return flags & INTERRUPTS_ON;
}

static void restore(bool were_on)
{
	if (were_on)
		__asm__ volatile("sti" : : : "memory");
}

static void copy(void *to, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
}

static uint32_t physical(const volatile void *p) { return (uint32_t)p - ABOVE; }

static bool same(const char *a, const char *b)
{
	while (*b && *a == *b)
		a++, b++;
	return !*b;
}

static uint8_t sum(const uint8_t *p, size_t n)
{
	uint8_t s = 0;
	while (n--)
		s += *p++;
	return s;
}

/* multiprocessor finds the APICs. */
static void multiprocessor(void)
{
	const uint8_t *at = (const uint8_t *)(ABOVE + 0xf0000), *end = at + 0x10000;
	while (at < end && !(same((const char *)at, "_MP_") && !sum(at, 16)))
		at += 16;
	if (at == end)
		panic("no multiprocessor's tables");
	const uint8_t *table = (const uint8_t *)(ABOVE + *(const uint32_t *)(at + 4));
	uint16_t length = *(const uint16_t *)(table + 4);
	if (!same((const char *)table, "PCMP") || sum(table, length))
		panic("the multiprocessor's table is damaged");
	apic = (volatile uint32_t *)*(const uint32_t *)(table + 36);
	for (const uint8_t *e = table + 44; e < table + length; e += *e == 0 ? 20 : 8)
		if (*e == 2)
			io_apic = (volatile uint32_t *)*(const uint32_t *)(e + 4);
	if (!apic || !io_apic)
		panic("no APICs");
}

static void set_interrupts(void)
{
	out8(0x21, 0xff); /* the 8259s */
	out8(0xa1, 0xff);
	io_apic[CHOICE] = VERSION;
	for (uint32_t last = io_apic[DATA] >> 16 & 0xff, i = 0; i <= last; i++) {
		io_apic[CHOICE] = LINES + 2 * i;
		io_apic[DATA] = MASKED;
	}
	apic[SPURIOUS_VECTOR] = APIC_ON | SPURIOUS;
	apic[LINE_0] = MASKED;
	apic[LINE_1] = MASKED;
	apic[DIVIDER] = 0xb;
	apic[TIMER_ENTRY] = PERIODIC | TIMER;
	apic[COUNT] = 10000000;
	apic[TASK_PRIORITY] = 0;
	if (apic[ID] >> 24)
		panic("another processor begins");
}

static void set_gate(int vector, void (*entry)(void), uint16_t type)
{
	gates[vector] = (struct gate){(uint32_t)entry, KERNEL_CODE, type, (uint32_t)entry >> 16};
}

static void set_tables(void)
{
	struct __attribute__((packed)) { uint16_t limit; void *base; } table = {sizeof segments - 1, segments};
	uint32_t at = (uint32_t)&task;
	segments[TASK / 8] = (uint64_t)(at >> 24) << 56 | 0x0000890000000000 | (uint64_t)(at & 0xffffff) << 16 | (sizeof task - 1);
	task.ss0 = KERNEL_DATA;
	__asm__ volatile("lgdt %0; ljmp %1, $1f; 1: mov %2, %%ds; mov %2, %%es; mov %2, %%ss" : : "m"(table), "i"(KERNEL_CODE), "r"(KERNEL_DATA));
	__asm__ volatile("mov %0, %%fs; mov %0, %%gs" : : "r"(0));
	__asm__ volatile("ltr %0" : : "r"((uint16_t)TASK));
	set_gate(TIMER, timer_entry, INTERRUPT_GATE);
	set_gate(CALL, call_entry, USER_TRAP_GATE);
	table.limit = sizeof gates - 1;
	table.base = gates;
	__asm__ volatile("lidt %0" : : "m"(table));
}

static void set_pages(uint32_t pages) { __asm__ volatile("mov %0, %%cr3" : : "r"(pages) : "memory"); }

/* process_begin is where a new process comes to, with interrupts off, and leaves for its
 * program. */
__attribute__((noinline)) void process_begin(void) { __asm__ volatile(""); }

static void make_process(int i)
{
	struct process *p = &processes[i];
	for (int k = 1; k < 1024; k++)
		directories[i][k] = kernel_pages[k];
	directories[i][0] = physical(tables[i]) | PRESENT | WRITABLE | USER;
	tables[i][PROGRAM_AT / PAGE] = physical(programs[i]) | PRESENT | USER;
	tables[i][STACK_AT / PAGE] = physical(user_stacks[i]) | PRESENT | WRITABLE | USER;
	tables[i][SHARED_AT / PAGE] = physical(shared) | PRESENT | WRITABLE | USER;
	copy(programs[i], program, program_end - program);
	*(uint32_t *)(user_stacks[i] + PAGE - 4) = i; /* start's argument; no function returns from it */

	struct frame *f = (struct frame *)(stacks[i] + PAGE) - 1;
	*f = (struct frame){.es = USER_DATA, .ds = USER_DATA, .eip = PROGRAM_AT, .cs = USER_CODE,
		.flags = INTERRUPTS_ON, .esp = STACK_AT + PAGE - 8, .ss = USER_DATA};
	void **s = (void **)f;
	*--s = leave_kernel;
	*--s = process_begin;
	p->stack = s - 4; /* what switch_stacks pops */
	p->pages = physical(directories[i]);
	p->parent = i ? &processes[0] : NULL;
	p->state = RUNNABLE;
}

/* The scheduler, on the stack that the loader's code had. */
static _Noreturn void schedule(void)
{
	for (;;) {
		__asm__ volatile("sti; nop; cli" : : : "memory");
		for (int i = 0; i < PROCESSES; i++) {
			struct process *p = &processes[i];
			if (p->state != RUNNABLE)
				continue;
			running = p;
			p->state = RUNNING;
			task.esp0 = (uint32_t)stacks[i] + PAGE;
			set_pages(p->pages);
			switch_stacks(&scheduler_stack, p->stack);
			set_pages(physical(kernel_pages));
			running = NULL;
		}
	}
}

/* Interrupts are off in the following. */

static void leave(enum state state)
{
	running->state = state;
	switch_stacks(&running->stack, scheduler_stack);
}

static void sleep(void *channel)
{
	running->channel = channel;
	leave(SLEEPING);
	running->channel = NULL;
}

static void wake(void *channel)
{
	for (int i = 0; i < PROCESSES; i++)
		if (processes[i].state == SLEEPING && processes[i].channel == channel)
			processes[i].state = RUNNABLE;
}

/* System calls; they begin and end with interrupts on. */

static void call_exit(void)
{
	off();
	wake(running->parent);
	leave(ZOMBIE);
}

/* 0 when a child has ended, which no wait finds a second time; -1 if there are none. */
static int call_wait(void)
{
	int result = -2;
	off();
	for (;;) {
		bool children = false;
		for (int i = 0; i < PROCESSES && result != 0; i++) {
			struct process *p = &processes[i];
			if (p->parent != running || p->state == UNUSED)
				continue;
			children = true;
			if (p->state == ZOMBIE) {
				p->state = UNUSED;
				result = 0;
			}
		}
		if (result == 0)
			break;
		if (!children) {
			result = -1;
			break;
		}
		if (WAIT_LOST) {
			restore(true);
			off();
		}
		sleep(running);
	}
	restore(true);
	return result;
}

__attribute__((noinline)) void call_lock(void *channel)
{
	bool free = LOCK_OPEN && !locked;
	off();
	while (!free && locked)
		sleep(channel);
	locked = true;
	restore(true);
}

__attribute__((noinline)) void call_unlock(void *channel)
{
	off();
	locked = false;
	wake(channel);
	restore(true);
}

static void call_add(int n)
{
	bool were_on = !ADD_OPEN && off();
	int seen = shared[0];
	shared[0] = seen + n;
	restore(were_on);
}

static int call_read(void)
{
	off();
	sleep(&input);
	restore(true);
	return 0;
}

static int call_test(void)
{
	static const char *const names[] = {"test=lock", "test=race", "test=add", "test=both"};
	for (int i = 0; i < 4; i++)
		if (same(command_line, names[i]))
			return i;
	panic("no such test");
}

static int system_call(int number, int argument)
{
	switch (number) {
	case CALL_EXIT: call_exit(); break;
	case CALL_WAIT: return call_wait();
	case CALL_LOCK: call_lock(&locked); break;
	case CALL_UNLOCK: call_unlock(&locked); break;
	case CALL_ADD: call_add(argument); break;
	case CALL_READ: return call_read();
	case CALL_TEST: return call_test();
	case CALL_FAIL: panic(argument == 1 ? "no child is left" : "shared == PROCESSES");
	}
	return 0;
}

void trap(struct frame *f)
{
	if (f->vector == CALL) {
		f->eax = system_call(f->eax, f->ebx);
		return;
	}
	apic[END] = 0;
	if (running)
		leave(RUNNABLE);
}

_Noreturn void kernel_main(void)
{
	multiprocessor();
	set_tables();
	set_interrupts();
	for (int i = 0; i < PROCESSES; i++)
		make_process(i);
	kernel_pages[0] = 0;
	set_pages(physical(kernel_pages));
	schedule();
}
