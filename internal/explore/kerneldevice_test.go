package explore

import (
	"context"
	"os"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// deviceTests are tests for the kernel of guests/kernel, of the machine and not of
// the kernel: what they assert is so on a PC, whenever ticks come.
const deviceTests = `
#include "kernel.h"
#include "machine.h"

enum { PIC = 0x20, MASK = 0x21, SERIAL = 0x3f8, SERIAL_ON = 0x3f9, REASON = 0x3fa, EMPTY = 2, NONE = 1 };

static volatile int seen;
static volatile int vector;
static bool acknowledges;

/* What interrupt.c calls for all but the timer. */
void device(int v)
{
	vector = v;
	seen++;
	ASSERT(in8(REASON) == EMPTY);
	if (acknowledges)
		out8(PIC, 0x20);
}

static int other(void *unused)
{
	(void)unused;
	thread_yield();
	return 0;
}

/* A tick can come while these run, and go to another thread. */
static void begin(void)
{
	thread_create(PRIORITY_NORMAL, other, NULL);
}

static void sees(int n)
{
	__asm__ volatile("nop; nop");
	ASSERT(seen == n);
	ASSERT(n == 0 || vector == 0x24);
}

/* An interrupt waits while they are off, and comes after the instruction behind
 * sti, not before it. */
void test_shadow(void)
{
	begin();
	acknowledges = true;
	interrupts_off();
	out8(MASK, 0xee);
	out8(SERIAL_ON, 2);
	sees(0);
	int shadow, after;
	__asm__ volatile("sti; mov %2, %0; nop; mov %2, %1" : "=&r"(shadow), "=&r"(after) : "m"(seen) : "memory");
	ASSERT(shadow == 0);
	ASSERT(after == 1);
	sees(1);
}

/* One that has been delivered keeps the next from coming until it is ended; after
 * each byte there is one. */
void test_ended(void)
{
	begin();
	out8(MASK, 0xee);
	out8(SERIAL_ON, 2);
	sees(1);
	out8(SERIAL, 'x');
	sees(1);
	acknowledges = true;
	out8(PIC, 0x20);
	sees(2);
	out8(SERIAL, 'y');
	sees(3);
}

/* A line that is off has none, and one whose reason is gone either, nor is it told
 * by a spurious one. */
void test_masked(void)
{
	begin();
	acknowledges = true;
	out8(SERIAL_ON, 2);
	sees(0);
	interrupts_off();
	out8(MASK, 0xee);
	ASSERT(in8(REASON) == EMPTY);
	ASSERT(in8(REASON) == NONE);
	interrupts_restore(true);
	sees(0);
	out8(MASK, 0xfe);
	out8(SERIAL, 'x');
	sees(0);
	out8(MASK, 0xee);
	sees(1);
}

/* hlt goes on when something has happened. */
void test_halt(void)
{
	begin();
	word before = ticks_passed();
	__asm__ volatile("hlt" : : : "memory");
	ASSERT(ticks_passed() > before);
}

/* No user touches the keyboard, and the screen keeps what is written. */
void test_console(void)
{
	volatile uint16_t *screen = (uint16_t *)0xb8000;
	begin();
	ASSERT((in8(0x64) & 1) == 0);
	ASSERT(in8(0x60) == 0);
	screen[79] = 0x0741;
	ASSERT(screen[79] == 0x0741);
}
`

// kernelWithDevices builds the kernel with those tests, and with changes to its
// files: from, to by file; "" where gcc can't.
func kernelWithDevices(t *testing.T, machine string, changes map[string][2]string) string {
	t.Helper()
	edits := []compile.Edit{{File: "devices.c", To: deviceTests}}
	for file, c := range changes {
		edits = append(edits, compile.Edit{File: file, From: c[0], To: c[1]})
	}
	path, said, err := compile.Edited(t, "../../guests/kernel", "kernel", edits, "MACHINE="+machine)
	if _, missing := os.Stat(path); missing != nil && machine == "i386" {
		return ""
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return path
}

// TestKernelDevices: the machine under a kernel does as a PC does, wherever ticks
// come in between.
func TestKernelDevices(t *testing.T) {
	t.Parallel()
	tests := []string{"shadow", "ended", "masked", "halt", "console"}
	declared, listed := "", "static const struct {"
	rows := `{"race", test_race},`
	for _, name := range tests {
		declared += "void test_" + name + "(void);\n"
		rows += ` {"` + name + `", test_` + name + `},`
	}
	text, err := os.ReadFile("../../guests/kernel/tests.c")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Replace(strings.Replace(string(text), listed, declared+listed, 1), `{"race", test_race},`, rows, 1)
	changes := map[string][2]string{
		"interrupt.c": {"	if (f->vector != TIMER)\n		return;", "	void device(int);\n	if (f->vector != TIMER) {\n		device(f->vector);\n		return;\n	}"},
		"tests.c":     {string(text), all},
	}
	for _, machine := range []string{"x86-64", "i386"} {
		guest := kernelWithDevices(t, machine, changes)
		if guest == "" {
			continue
		}
		for _, name := range tests {
			for _, points := range []string{"yield", "cli,sti", "mem"} {
				c := kernelConfig(guest, name, points)
				c.MaxExecutions = 300
				r, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.Bug != nil || r.Verdict == result.Invalid || r.Executions == 0 || points == "cli,sti" && r.Executions < 2 {
					t.Errorf("%s %s, points %s: %s after %d executions (%s) %+v", machine, name, points, r.Verdict, r.Executions, r.Reason, r.Bug)
				}
			}
		}
	}
}

// TestKernelWithoutEnd: a kernel that doesn't tell the controller that its tick has
// ended gets no other: a thread that sleeps then does so for ever.
func TestKernelWithoutEnd(t *testing.T) {
	t.Parallel()
	guest := kernelWithDevices(t, "x86-64", map[string][2]string{"interrupt.c": {"	out8(MASTER, END_OF_INTERRUPT);\n", ""}})
	r, err := Run(context.Background(), kernelConfig(guest, "sleep", "cli"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Bug == nil || r.Bug.Kind != trace.Deadlock || r.Bug.Preemptions != 0 {
		t.Errorf("%s after %d executions (%s) %+v", r.Verdict, r.Executions, r.Reason, r.Bug)
	}
}
