package explore

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestKernelTails: what a thread does before interrupts are on for the first time, the
// instruction behind sti too, is its own in the story, although another's step runs it
// where ticks pass over the thread.
func TestKernelTails(t *testing.T) {
	for _, machine := range []string{"x86-64", "i386"} {
		for name, begin := range map[string]string{
			"behind sti":  "__asm__ volatile(\"sti\\n\\tmov %1, %0\" : \"=r\"(seen) : \"m\"(counter) : \"memory\");",
			"before sti":  "seen = counter; interrupts_restore(true);",
			"behind popf": "{ word f; __asm__ volatile(\"pushf; pop %0\" : \"=r\"(f)); f |= 0x200; seen = counter; __asm__ volatile(\"push %0; popf\" : : \"r\"(f) : \"memory\"); }",
		} {
			t.Run(machine+" "+name, func(t *testing.T) {
				guest := tailKernel(t, machine, begin)
				c := kernelConfig(guest, "race", "cli,sti,mem")
				r, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.Bug == nil {
					t.Fatalf("%s (%s)", r.Verdict, r.Reason)
				}
				for _, a := range r.Bug.Accesses {
					if a.Symbol != "counter" {
						t.Errorf("the story is about %s: %s", a.Symbol, r.Bug.Cause)
					}
				}
				who := map[string]bool{}
				for _, s := range r.Bug.Steps {
					for _, a := range s.Accesses {
						if a.Op == "reads" && strings.HasPrefix(a.Stack[len(a.Stack)-1].Function, "thread_begin") {
							who[a.Thread] = true
						}
					}
				}
				if who["0"] {
					t.Errorf("the first thread reads in thread_begin: %+v", r.Bug.Steps)
				}
			})
		}
	}
}

// tailKernel is guests/kernel with another beginning of new threads, whose test of a
// race takes what they saw then for the counter.
func tailKernel(t *testing.T, machine, begin string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../guests/kernel")); err != nil {
		t.Fatal(err)
	}
	for _, e := range [][3]string{
		{"thread.c", "	interrupts_restore(true);\n	thread_exit(me->function(me->argument));", "	extern volatile int counter;\n	int seen;\n	" + begin + "\n	thread_exit(me->function((void *)(word)(seen + 1)));"},
		{"tests.c", "static volatile int counter;", "volatile int counter;"},
		{"tests.c", "	(void)unused;\n	int seen = counter;\n	counter = seen + 1;", "	int seen = unused ? (int)(word)unused - 1 : counter;\n	counter = seen + 1;"},
	} {
		name := filepath.Join(dir, e[0])
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), e[1]) {
			t.Fatalf("%s hasn't %q", e[0], e[1])
		}
		os.WriteFile(name, []byte(strings.Replace(string(text), e[1], e[2], 1)), 0o666)
	}
	out := filepath.Join(dir, "out")
	args := []string{"-s", "-C", dir, "OUT64=" + out, filepath.Join(out, "kernel")}
	if machine == "i386" {
		args = []string{"-s", "-C", dir, "MACHINE=i386", "OUT32=" + out, filepath.Join(out, "kernel")}
	}
	said, err := exec.Command("make", args...).CombinedOutput()
	if err != nil && machine == "i386" {
		t.Skip("gcc -m32 doesn't work here")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return filepath.Join(out, "kernel")
}
