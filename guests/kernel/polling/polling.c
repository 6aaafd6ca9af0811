/* A kernel in the shape of a course's that doesn't preempt itself: a tick asks the
 * thread that runs to give way, and the thread looks at that in poll. The threads that
 * are ready are bits of a word, not a list. It has no multiboot header, mends a page
 * fault while it boots, and adds to a number on a disk. i386 only, without
 * annotations: polling.yaml tells landgo of it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../machine.h"
#include "variant.h"

enum {
	PAGE = 4096, ABOVE = 0xc0000000, PRESENT = 3, ENTRIES = 1024,
	KERNEL_CODE = 8, KERNEL_DATA = 16, TASK = 24,
	INTERRUPT_GATE = 0x8e00, FAULT = 14, TIMER = 0x20, DISK = 0x2e,
	INTERRUPTS_ON = 0x200,

	THREADS = 3, IDLE = 0, SLICE = 2,

	DATA = 0x1f0, COUNT = 0x1f2, SECTOR = 0x1f3, MIDDLE = 0x1f4, HIGH = 0x1f5, DRIVE = 0x1f6, COMMAND = 0x1f7,
	SECOND = 0xf0, READ = 0x20, WRITE = 0x30, IDENTIFY = 0xec, BUSY = 0x80, ASKS = 0x08,
	SECTOR_WORDS = 512 / 4, SIZE = 60,

	PRINTER = 0x378, MEMORY_MAP = 0x8000,
};

enum state { FREE, WAITING, READY, ENDED };

struct thread {
	enum state state;
	volatile bool resched; /* it is asked to give way */
	int left;              /* ticks until it is */
	void *stack;           /* where it stands */
};

struct thread threads[THREADS];
struct thread *current, *idle_thread;
static unsigned ready; /* a bit for each thread */
static struct thread *disk_waiter;
static volatile bool disk_done;
static struct thread *holder, *lock_waiter;

static uint8_t stacks[THREADS][PAGE] __attribute__((aligned(4096)));
static uint32_t new_pages[ENTRIES] __attribute__((aligned(4096)));
static uint32_t sector[SECTOR_WORDS], first;
static volatile uint32_t sum, ended;

static uint64_t segments[4] = {0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0};
static struct { uint32_t link, esp0, ss0, rest[23]; } task;
static struct gate { uint16_t low, selector, type, high; } gates[256];

extern uint32_t kernel_pages[ENTRIES];
void timer_entry(void), disk_entry(void), fault_entry(void);
void switch_stacks(void **from, void *to);

static void print(const char *text)
{
	for (; *text; text++) {
		while (!(in8(PRINTER + 1) & 0x80))
			in8(0x84);
		out8(PRINTER, *text);
		out8(PRINTER + 2, 0x0d);
		out8(PRINTER + 2, 0x08);
		out8(0x3f8, *text);
	}
}

__attribute__((noinline)) _Noreturn void panic(const char *message)
{
	print(message);
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

__attribute__((noinline)) void make_ready(struct thread *t)
{
	t->state = READY;
	ready |= 1u << (t - threads);
}

/* schedule gives way to the next ready thread, or to the idle one. */
static void schedule(void)
{
	bool on = off();
	struct thread *from = current;
	int next = IDLE;
	from->resched = false;
	if (from->state == READY && from != idle_thread)
		ready |= 1u << (from - threads);
	for (int i = 1; i < THREADS; i++) {
		int k = (from - threads + i) % THREADS;
		if (ready >> k & 1) {
			next = k;
			break;
		}
	}
	if (next == IDLE && ready >> (from - threads) & 1)
		next = from - threads;
	ready &= ~(1u << next);
	threads[next].left = SLICE;
	if (&threads[next] != from) {
		current = &threads[next];
		switch_stacks(&from->stack, current->stack);
	}
	restore(on);
}

/* poll gives way, if the thread has been asked to. */
static void poll(void)
{
	if (current->resched)
		schedule();
}

void interrupt(int vector)
{
	if (vector == TIMER) {
		out8(0x20, 0x20);
		if (current == idle_thread || --current->left <= 0)
			current->resched = true;
		return;
	}
	in8(COMMAND); /* takes the interrupt back */
	disk_done = true;
	if (disk_waiter && disk_waiter->state == WAITING)
		make_ready(disk_waiter);
	out8(0xa0, 0x20);
	out8(0x20, 0x20);
}

/* mend maps a page where nothing is. */
void mend(uint32_t at)
{
	if (at >= ABOVE)
		panic("a fault at the kernel's addresses");
	if (UNMENDED)
		return;
	kernel_pages[at / PAGE / ENTRIES] = ((uint32_t)new_pages - ABOVE) | PRESENT;
	new_pages[at / PAGE % ENTRIES] = ((uint32_t)stacks[IDLE] - ABOVE) | PRESENT;
}

/* disk_command has the second drive read or write its first sector. */
static void disk_command(uint8_t command)
{
	while (in8(COMMAND) & BUSY)
		;
	out8(DRIVE, SECOND);
	out8(COUNT, 1);
	out8(SECTOR, 0);
	out8(MIDDLE, 0);
	out8(HIGH, 0);
	disk_done = false;
	out8(COMMAND, command);
}

/* disk_wait waits for the drive's interrupt, which may have come. */
__attribute__((noinline)) void disk_wait(void)
{
	bool on = off();
	while (!disk_done || (WAIT_LATE && !disk_waiter)) {
		disk_waiter = current;
		current->state = WAITING;
		schedule();
	}
	disk_waiter = NULL;
	restore(on);
}

static void from_disk(void)
{
	void *to = sector;
	int n = SECTOR_WORDS;
	__asm__ volatile("cld; rep insl" : "+D"(to), "+c"(n) : "d"(DATA) : "memory");
}

static void to_disk(void)
{
	const void *from = sector;
	int n = SECTOR_WORDS;
	__asm__ volatile("cld; rep outsl" : "+S"(from), "+c"(n) : "d"(DATA) : "memory");
}

static void read_sector(void)
{
	disk_command(READ);
	disk_wait();
	from_disk();
}

static void write_sector(void)
{
	disk_command(WRITE);
	to_disk();
	disk_wait();
}

__attribute__((noinline)) void lock(void)
{
	bool on = off();
	while (holder) {
		lock_waiter = current;
		current->state = WAITING;
		schedule();
	}
	holder = current;
	restore(on);
}

__attribute__((noinline)) void unlock(void)
{
	bool on = off();
	holder = NULL;
	if (lock_waiter)
		make_ready(lock_waiter);
	lock_waiter = NULL;
	restore(on);
}

/* worker adds to a word of memory, and the first one to the first word of the disk. */
static void worker(void)
{
	__asm__ volatile("sti");
	if (!ADD_OPEN)
		lock();
	uint32_t n = sum;
	poll();
	sum = n + 1;
	if (!ADD_OPEN)
		unlock();

	if (current == &threads[IDLE + 1]) {
		read_sector();
		sector[0]++;
		write_sector();
	}

	off();
	if (++ended == THREADS - 1)
		panic(sum == THREADS - 1 && sector[0] == first + 1 ? "all threads have ended" : "an addition is lost");
	current->state = ENDED;
	schedule();
	panic("a thread goes on that has ended");
}

static void make_thread(int i)
{
	struct thread *t = &threads[i];
	uint32_t *sp = (uint32_t *)(stacks[i] + PAGE) - 1;
	*--sp = (uint32_t)worker;
	for (int k = 0; k < 4; k++)
		*--sp = 0;
	t->stack = sp;
	make_ready(t);
}

/* idle runs when no other thread can. */
__attribute__((noinline)) void idle(void)
{
	for (;;)
		poll();
}

static void set_gate(int vector, void (*entry)(void))
{
	gates[vector] = (struct gate){(uint32_t)entry, KERNEL_CODE, INTERRUPT_GATE, (uint32_t)entry >> 16};
}

static void set_tables(void)
{
	struct __attribute__((packed)) { uint16_t limit; void *base; } table = {sizeof segments - 1, segments};
	uint32_t at = (uint32_t)&task;
	segments[TASK / 8] = (uint64_t)(at >> 24) << 56 | 0x0000890000000000 | (uint64_t)(at & 0xffffff) << 16 | (sizeof task - 1);
	task.ss0 = KERNEL_DATA;
	__asm__ volatile("lgdt %0; ljmp %1, $1f; 1: mov %2, %%ds; mov %2, %%es; mov %2, %%ss" : : "m"(table), "i"(KERNEL_CODE), "r"(KERNEL_DATA));
	__asm__ volatile("ltr %0" : : "r"((uint16_t)TASK));
	set_gate(FAULT, fault_entry);
	set_gate(TIMER, timer_entry);
	set_gate(DISK, disk_entry);
	table.limit = sizeof gates - 1;
	table.base = gates;
	__asm__ volatile("lidt %0" : : "m"(table));
}

static void set_interrupts(void)
{
	for (int port = 0x20; port <= 0xa0; port += 0x80) {
		out8(port, 0x11);
		out8(port + 1, port == 0x20 ? 0x20 : 0x28);
		out8(port + 1, port == 0x20 ? 4 : 2);
		out8(port + 1, 1);
		out8(port, 0x68); /* special mask mode */
		out8(port, 0x0a);
	}
	out8(0x21, 0xfa); /* the timer, the second controller */
	out8(0xa1, 0xbf); /* the disk */
}

_Noreturn void kernel_main(void)
{
	const volatile uint32_t *map = (const volatile uint32_t *)(ABOVE + MEMORY_MAP);
	set_tables();
	set_interrupts();
	if (map[0] < 1 || map[0] > 20)
		panic("no memory");
	for (volatile uint8_t *p = (volatile uint8_t *)0x100; p < (volatile uint8_t *)0x110; p++)
		*p = 1; /* mended at the first one */
	disk_command(IDENTIFY);
	if (!(in8(COMMAND) & ASKS))
		panic("no disk");
	from_disk();
	if (sector[SIZE / 4 * 2] == 0)
		panic("the disk is empty");
	disk_command(READ);
	from_disk();
	first = sector[0];

	current = idle_thread = &threads[IDLE];
	current->state = READY;
	current->resched = true;
	for (int i = 1; i < THREADS; i++)
		make_thread(i);
	__asm__ volatile("sti");
	idle();
	panic("idle returns");
}
