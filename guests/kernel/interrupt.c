/* Interrupts: the table of their gates, the two interrupt controllers, the
 * timer. All gates turn interrupts off; what a handler calls may switch to
 * another thread, and this one goes on, at the handler's end, when it is chosen
 * again. */
#include "kernel.h"
#include "machine.h"

enum {
	/* The controllers' interrupts follow the processor's exceptions. */
	EXCEPTIONS = 32, LINES = 16, VECTORS = EXCEPTIONS + LINES,
	TIMER = EXCEPTIONS,

	MASTER = 0x20, SLAVE = 0xa0, MASTER_MASK = MASTER + 1, SLAVE_MASK = SLAVE + 1,
	INITIALISE = 0x11, SLAVE_LINE = 2, MODE_8086 = 1, END_OF_INTERRUPT = 0x20,

	TIMER_0 = 0x40, TIMER_MODE = 0x43, RATE_GENERATOR = 0x34,
	TIMER_INPUT = 1193182, TICKS_A_SECOND = 100,

	INTERRUPT_FLAG = 0x200, INTERRUPT_GATE = 0x8e00,
};

/* trap.S: the entries, this far apart. */
extern char interrupt_entries[];
enum { ENTRY_SIZE = 16 };

#ifdef __x86_64__
struct gate { uint16_t low, selector, type, middle; uint32_t high, zero; };
#else
struct gate { uint16_t low, selector, type, middle; };
#endif

static struct gate gates[VECTORS];

/* What trap.S and the processor have pushed, up to where C doesn't care. */
struct frame {
#ifdef __x86_64__
	word registers[15];
#else
	word registers[8];
#endif
	word vector, error, at;
};

static void set_gates(void)
{
	uint16_t code;
	__asm__ volatile("mov %%cs, %0" : "=r"(code));
	for (int v = 0; v < VECTORS; v++) {
		word entry = (word)interrupt_entries + v * ENTRY_SIZE;
		gates[v].low = entry;
		gates[v].selector = code;
		gates[v].type = INTERRUPT_GATE;
		gates[v].middle = entry >> 16;
#ifdef __x86_64__
		gates[v].high = entry >> 32;
#endif
	}
	struct __attribute__((packed)) { uint16_t limit; word base; } table = {GATES_LOST ? 0 : sizeof gates - 1, (word)gates};
	__asm__ volatile("lidt %0" : : "m"(table));
}

static void set_controllers(void)
{
	out8(MASTER, INITIALISE);
	out8(MASTER_MASK, EXCEPTIONS);
	out8(MASTER_MASK, 1 << SLAVE_LINE);
	out8(MASTER_MASK, MODE_8086);
	out8(SLAVE, INITIALISE);
	out8(SLAVE_MASK, EXCEPTIONS + 8);
	out8(SLAVE_MASK, SLAVE_LINE);
	out8(SLAVE_MASK, MODE_8086);
	out8(MASTER_MASK, 0xfe); /* the timer only */
	out8(SLAVE_MASK, 0xff);
}

static void set_timer(void)
{
	unsigned divisor = TIMER_INPUT / TICKS_A_SECOND;
	out8(TIMER_MODE, RATE_GENERATOR);
	out8(TIMER_0, divisor);
	out8(TIMER_0, divisor >> 8);
}

void interrupts_setup(void)
{
	set_gates();
	set_controllers();
	set_timer();
}

/* interrupt is what each entry of trap.S calls. */
void interrupt(struct frame *f)
{
	if (f->vector < EXCEPTIONS) {
		print("exception ");
		print_number(f->vector);
		print(" at ");
		print_number(f->at);
		print("\n");
		panic(__FILE__, __LINE__, "unexpected exception");
	}
	if (f->vector != TIMER)
		return; /* a line that is off can still report noise */
	/* First, because the thread that is switched to needs its ticks too. */
	out8(MASTER, END_OF_INTERRUPT);
	thread_tick();
}

bool interrupts_on(void)
{
	word flags;
	__asm__ volatile("pushf; pop %0" : "=r"(flags));
	return flags & INTERRUPT_FLAG;
}

bool interrupts_off(void)
{
	bool were_on = interrupts_on();
	__asm__ volatile("cli" : : : "memory");
	return were_on;
}

void interrupts_restore(bool were_on)
{
	if (were_on)
		__asm__ volatile("sti" : : : "memory");
}
