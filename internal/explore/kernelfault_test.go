package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/result"
)

// TestKernelFaults: what goes wrong between a thread and its interrupts is reported as what it
// is, on both machines, where a profile describes the threads.
func TestKernelFaults(t *testing.T) {
	t.Parallel()
	for _, k := range []struct{ program, kind, text string }{
		{"kernel-register_lost", "assertion", "the interrupt's handler returns with "},
		{"kernel-gates_lost", "segfault", "(triple fault)"},
		{"kernel-stack_small", "stack-overflow", "below the thread's stack"},
	} {
		for _, machine := range []string{"x86-64", "i386"} {
			t.Run(k.program+" "+machine, func(t *testing.T) {
				t.Parallel()
				guest := silentKernel(t, machine, k.program, "")
				if guest == "" {
					t.Skip("gcc -m32 doesn't work here")
				}
				c := kernelConfig(guest, "lock", "lock")
				c.Profile = silentProfile(t, false)
				// Up before interrupts are on: the boot has ticks too.
				c.Profile.Text = strings.Replace(c.Profile.Text, "booted: run_test", "booted: interrupts_restore", 1)
				r, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.Bug == nil || string(r.Bug.Kind) != k.kind || !strings.Contains(r.Bug.Message, k.text) {
					t.Fatalf("%s (%s): %+v, want %s: %s", r.Verdict, r.Reason, r.Bug, k.kind, k.text)
				}
				again, err := Replay(context.Background(), c, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if again.Bug == nil || again.Bug.Message != r.Bug.Message {
					t.Errorf("the replay ended in %+v, want %s", again.Bug, r.Bug.Message)
				}
			})
		}
	}
}

// TestKernelLoopsOff: where interrupts are off and everything comes back to what it
// was, that is for ever. So it is in a thread, in a handler, or in threads that
// yield to each other. A loop that counts is none of these.
func TestKernelLoopsOff(t *testing.T) {
	t.Parallel()
	const line, says = "	(void)unused;\n	return 7;", "interrupts are off, and the processor goes round in a loop for ever"
	for _, k := range []struct{ file, line, instead, want string }{
		{"tests.c", line, "	(void)unused;\n	interrupts_off();\n	while (!counter)\n		;\n	return 7;", says},
		{"tests.c", line, "	(void)unused;\n	interrupts_off();\n	while (!counter)\n		thread_yield();\n	return 7;", says},
		{"thread.c", "	ticks++;\n", "	ticks++;\n	while (threads > 2)\n		__asm__ volatile(\"\" : : : \"memory\");\n", says},
		{"tests.c", "	(void)unused;\n	return 7;", "	(void)unused;\n	interrupts_off();\n	while (counter < 100000)\n		counter++;\n	return 7;", ""},
	} {
		c := kernelConfig(kernelEdited(t, k.file, k.line, k.instead), "create", "cli")
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if k.want == "" {
			if r.Verdict != result.Verified {
				t.Errorf("%s: %s (%s) %+v", k.instead, r.Verdict, r.Reason, r.Bug)
			}
			continue
		}
		if r.Bug == nil || r.Bug.Kind != "livelock" || !strings.HasPrefix(r.Bug.Message, k.want) {
			t.Fatalf("%s: %s (%s) %+v", k.instead, r.Verdict, r.Reason, r.Bug)
		}
		again, err := Replay(context.Background(), c, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if again.Bug == nil || again.Bug.Message != r.Bug.Message {
			t.Errorf("%s: the replay ended in %+v", k.instead, again.Bug)
		}
	}
}

// TestKernelStackOverflow: a thread that goes below its stack and comes back before it stops has
// written into its own structure, or below it. It is reported at whatever points, where
// annotations or the kernel's shape say where stacks are. A last call that only pushes is
// reported too.
func TestKernelStackOverflow(t *testing.T) {
	t.Parallel()
	const line = "	(void)unused;\n	return 7;"
	deep := func(body string) string {
		return "	(void)unused;\n	extern int deep(int);\n	return deep(20);\n}\nint deep(int n)\n{\n" + body + "}\nstatic inline int three(void)\n{\n	return 3;"
	}
	const (
		calls = "	volatile int room[48];\n	for (int i = 0; i < 48; i++)\n		room[i] = n;\n	return n ? deep(n - 1) + room[3] - n : 7;\n"
		// Only the page's lowest part is written to: the frame is larger than that.
		large = "	volatile char room[4096];\n	return room[100] = 7;\n"
		// Exactly as far down as the stack goes, and then a call.
		leaf = "	word low = (word)(current() + 1), sp = 0;\n	__asm__ volatile(\"mov %%rsp, %0; sub %1, %0; sub %0, %%rsp; call 1f; add %0, %%rsp; jmp 2f; 1: ret; 2:\" : \"+r\"(sp) : \"r\"(low) : \"memory\");\n	return 7 + n * 0;\n"
		// As far, and its structure's last word is written to: that is no overflow.
		exact = "	bool on = interrupts_off();\n	word low = (word)(current() + 1), sp = 0;\n	__asm__ volatile(\"mov %%rsp, %0; sub %1, %0; sub %0, %%rsp; mov %2, -8(%1); add %0, %%rsp\" : \"+r\"(sp) : \"r\"(low), \"r\"(current()->magic) : \"memory\");\n	interrupts_restore(on);\n	return 7 + n * 0;\n"
	)
	const post = "	(void)unused;\n	sema_up(&posted);"
	course := edited(t, "course", "course/tests.c", post, strings.Replace(deep(calls), "return deep(20);", "deep(20);\n	sema_up(&posted);", 1))
	for _, k := range []struct {
		body     string
		overflow bool
	}{{calls, true}, {large, true}, {leaf, true}, {exact, false}, {"course", true}} {
		guest, test := course, "post"
		if k.body != "course" {
			guest, test = kernelEdited(t, "tests.c", line, deep(k.body)), "create"
		}
		for _, pp := range []string{"yield", "cli", "mem"} {
			c := kernelConfig(guest, test, pp)
			if !k.overflow && pp == "mem" {
				c.MaxExecutions = 1000 // of 122,378, which are as those at cli here
			}
			r, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !k.overflow {
				if r.Verdict != result.Verified && r.Problem != result.OutOfExecutions {
					t.Errorf("%s, %s: %s (%s) %+v", k.body, pp, r.Verdict, r.Reason, r.Bug)
				}
				continue
			}
			if r.Bug == nil || r.Bug.Kind != "stack-overflow" || r.Bug.Preemptions != 0 {
				t.Errorf("%s, %s: %s (%s) %+v", k.body, pp, r.Verdict, r.Reason, r.Bug)
				continue
			}
			again, err := Replay(context.Background(), c, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if again.Bug == nil || again.Bug.Message != r.Bug.Message {
				t.Errorf("%s, %s: the replay ended in %+v", k.body, pp, again.Bug)
			}
		}
	}
}
