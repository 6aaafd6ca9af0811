package explore

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"landgo/internal/result"
)

// TestKernelExceptions: an exception that the kernel's own handler treats, and goes on
// from, is no bug. One whose handler doesn't come back is: the bug is the exception,
// at its instruction.
func TestKernelExceptions(t *testing.T) {
	t.Parallel()
	const (
		body   = "	(void)unused;\n	return 7;"
		breaks = "	(void)unused;\n	__asm__ volatile(\"int3\");\n	return 7;"
		ud     = "	(void)unused;\n	__asm__ volatile(\"ud2\");\n	return 7;"
		div    = "	(void)unused;\n	word n = 7;\n	__asm__ volatile(\"xor %%edx, %%edx; div %%rcx\" : \"+a\"(n) : \"c\"((word)0) : \"rdx\");\n	return n;"
		null   = "	(void)unused;\n	volatile word *p = (word *)16;\n	*p = 7;\n	return *p;"
		// Maps the page at 0, if it isn't.
		finds = "	word *table;\n	__asm__(\"mov %%cr3, %0\" : \"=r\"(table));\n	for (int level = 0; level < (sizeof(word) == 8 ? 3 : 1); level++)\n		table = (word *)(*table & ~(word)4095);\n"
		when  = "	if (f->vector < EXCEPTIONS) {\n"
	)
	for _, k := range []struct {
		name, body, handler, kind, text string
	}{
		{"a breakpoint", breaks, "	if (f->vector == 3)\n		return;\n", "", ""},
		{"an emulator", ud, "	if (f->vector == 6) {\n		f->at += 2;\n		return;\n	}\n", "", ""},
		{"a division mended", div, "	if (f->vector == 0) {\n		f->registers[12] = 1;\n		return;\n	}\n", "", ""},
		{"a pager", null, "	if (f->vector == 14) {\n" + finds + "		ASSERT(!(f->error & ~2ul));\n		if (!*table)\n			*table = (word)page_allocate() + 3;\n		return;\n	}\n", "", ""},
		{"a pager that waits", null, "	if (f->vector == 14) {\n" + finds + "		thread_yield();\n		if (!*table)\n			*table = (word)page_allocate() + 3;\n		return;\n	}\n", "", ""},
		{"none", breaks, "", "illegal-instruction", "a breakpoint instruction"},
		{"none", null, "", "segfault", "page fault at address 0x10: a null pointer"},
		{"nothing mended", null, "	if (f->vector == 14)\n		return;\n", "segfault", "page fault at address 0x10: a null pointer, again and again: its handler returns to it, and has mended nothing"},
		{"nothing mended, counted", null, "	static int faults;\n	if (f->vector == 14) {\n		faults++;\n		return;\n	}\n", "segfault", "page fault at address 0x10: a null pointer, again and again: its handler returns to it, and has mended nothing"},
		{"the thread ends", null, "	if (f->vector == 14)\n		thread_exit(7);\n", "segfault", "page fault at address 0x10: a null pointer"},
		{"the thread waits, and ends", null, "	if (f->vector == 14) {\n		thread_yield();\n		thread_exit(7);\n	}\n", "segfault", "page fault at address 0x10: a null pointer"},
		{"it halts", null, "	if (f->vector == 14)\n		for (;;)\n			__asm__ volatile(\"sti; hlt\");\n", "segfault", "page fault at address 0x10: a null pointer"},
		{"it spins", null, "	if (f->vector == 14) {\n		interrupts_restore(true);\n		for (;;)\n			;\n	}\n", "segfault", "page fault at address 0x10: a null pointer"},
		{"another in it", breaks, "	if (f->vector == 3)\n		*(volatile int *)16 = 0;\n", "illegal-instruction", "a breakpoint instruction"},
		{"it waits for ever", null, "	if (f->vector == 14)\n		thread_block();\n", "segfault", "page fault at address 0x10: a null pointer"},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			guest := kernelEdited(t, "tests.c", body, k.body, "interrupt.c", when, k.handler+when)
			for _, pp := range []string{"yield", "cli", "mem"} {
				c := kernelConfig(guest, "create", pp)
				if pp == "mem" && k.kind == "" {
					c.MaxExecutions = 200 // all take long
				}
				r, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				if k.kind == "" {
					if r.Verdict != result.Verified && r.Problem != result.OutOfExecutions {
						t.Errorf("%s: %s (%s) %+v", pp, r.Verdict, r.Reason, r.Bug)
					}
					continue
				}
				if r.Bug == nil || string(r.Bug.Kind) != k.kind || r.Bug.Message != k.text || r.Bug.Preemptions != 0 {
					t.Errorf("%s: %s (%s) %+v", pp, r.Verdict, r.Reason, r.Bug)
					continue
				}
				if at := r.Bug.Stack[0].Function; at != "seven" && k.name != "it waits for ever" {
					t.Errorf("%s: it is reported in %s", pp, at)
				}
				again, err := Replay(context.Background(), c, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if again.Bug == nil || again.Bug.Message != r.Bug.Message {
					t.Errorf("%s: the replay ended in %+v", pp, again.Bug)
				}
			}
			if k.kind == "" {
				c := kernelConfig(guest, "join", "cli")
				g := openKernel(t, c)
				g.explored(t, "none", nil)
				want := g.explored(t, "none", nil)
				if got := g.explored(t, "optimal", nil); !slices.Equal(slices.Sorted(maps.Keys(got.states)), slices.Sorted(maps.Keys(want.states))) {
					t.Errorf("%d executions end in %v, want %v (%d executions)", got.executions, got.states, want.states, want.executions)
				}
			}
		})
	}
}

// TestKernelExceptions32: the same on i386, before the kernel is up as well.
func TestKernelExceptions32(t *testing.T) {
	t.Parallel()
	guest := kernelEdited(t, "main.c", "	threads_setup();\n", "	threads_setup();\n	__asm__ volatile(\"int3; ud2\");\n",
		"interrupt.c", "	if (f->vector < EXCEPTIONS) {\n", "	if (f->vector == 6)\n		f->at += 2;\n	if (f->vector == 3 || f->vector == 6)\n		return;\n	if (f->vector < EXCEPTIONS) {\n",
		"tests.c", "	(void)unused;\n	return 7;", "	(void)unused;\n	__asm__ volatile(\"ud2; ud2; int3\");\n	return 7;")
	dir := filepath.Dir(filepath.Dir(guest))
	other := filepath.Join(dir, "kernel32", "kernel")
	exec.Command("make", "-s", "-C", dir, "MACHINE=i386", "OUT32="+filepath.Dir(other), other).Run()
	for _, guest := range []string{guest, other} {
		if _, err := os.Stat(guest); err != nil {
			t.Skip("gcc -m32 doesn't work here")
		}
		r, err := Run(context.Background(), kernelConfig(guest, "create", "cli"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != result.Verified {
			t.Errorf("%s (%s) %+v", r.Verdict, r.Reason, r.Bug)
		}
	}
}
