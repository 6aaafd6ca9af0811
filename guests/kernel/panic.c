/* The end. QEMU's power-off port ends the machine; where there is none, the
 * port of its debugging device does, and else the processor stops for good. */
#include "kernel.h"
#include "landgo.h"
#include "machine.h"

enum { POWER_PORT = 0x604, POWER_DOWN = 0x2000, DEBUG_EXIT_PORT = 0xf4 };

/* end leaves by the debugging device, if there is one. */
static _Noreturn void end(uint8_t status)
{
	out8(DEBUG_EXIT_PORT, status);
	for (;;)
		__asm__ volatile("cli; hlt");
}

_Noreturn void power_off(void)
{
	interrupts_off();
	out16(POWER_PORT, POWER_DOWN);
	/* It takes the machine a while. */
	for (int turn = 0; turn < 1000000; turn++)
		in8(DEBUG_EXIT_PORT);
	end(0);
}

_Noreturn void panic(const char *file, int line, const char *message)
{
	interrupts_off();
	landgo_panicked(message);
	print("panic: ");
	print(file);
	print(":");
	print_number(line);
	print(": ");
	print(message);
	print("\n");
	end(1);
}
