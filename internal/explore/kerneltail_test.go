package explore

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"landgo/internal/trace"
)

// TestKernelTails: a thread's acts before interrupts are on for the first time, the
// instruction behind sti too, are its own. Yet another's step runs them where ticks
// pass over the thread. So the story can say what was between its read and its write.
func TestKernelTails(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{
		"behind sti":  `__asm__ volatile("sti"); seen = balance`,
		"before sti":  `seen = balance; __asm__ volatile("sti")`,
		"before popf": `seen = balance; __asm__ volatile("push $0x202; popf")`,
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "kernel")
			if said, err := exec.Command("gcc", "-m32", "-O1", "-g", "-ffreestanding", "-fno-pic", "-no-pie", "-fno-stack-protector", "-mno-sse",
				"-fno-asynchronous-unwind-tables", "-fcf-protection=none", "-nostdlib", "-static", "-I../../guests/kernel", "-DBEGIN="+begin,
				"-Wl,-T,testdata/tails/kernel.ld", "-Wl,--build-id=none", "-o", out, "testdata/tails/boot.S", "testdata/tails/kernel.c").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			r, err := Run(context.Background(), kernelConfig(out, "", "mem"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Bug == nil || r.Bug.Kind != trace.Assertion {
				t.Fatalf("%s (%s), %+v", r.Verdict, r.Reason, r.Bug)
			}
			a := r.Bug.Accesses
			if len(a) != 3 || a[0].Thread != a[2].Thread || a[0].Thread == a[1].Thread || a[0].Op != "reads" || a[1].Op != "writes" || a[0].Symbol != "balance" {
				t.Errorf("%s: %+v", r.Bug.Cause, a)
			}
		})
	}
}
