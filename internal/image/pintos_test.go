package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// likePintos has the names by which a kernel of that family is known, and nothing
// else of it.
const likePintos = `
struct thread { int tid; char more[20]; int status; char name[16]; int priority; };
static struct thread *volatile idle_thread;
long boot_pml4e[512];
void thread_block(struct thread *t) { idle_thread = t; t->status = 2; t->priority = 1; }
void thread_unblock(void) {}
void thread_create(void) {}
void thread_exit(void) {}
void thread_start(void) {}
void sema_down(void) {}
int sema_up(int n) { if (n > 3) return 7; thread_block((struct thread *)&boot_pml4e); return n; }
void debug_panic(void) {}
void run_test(void) { sema_up(0); }
void entry_64(void) { run_test(); }
int main(void) { run_test(); return 0; }
`

// TestPintos: a kernel is known by its functions, wherever its fields are and whatever
// statuses it has; and one that lacks a function isn't.
func TestPintos(t *testing.T) {
	dir := t.TempDir()
	build := func(source string, flags ...string) *Image {
		t.Helper()
		c, out := filepath.Join(dir, "kernel.c"), filepath.Join(dir, "kernel")
		if err := os.WriteFile(c, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		flags = append(flags, "-g", "-O1", "-ffreestanding", "-fno-pic", "-nostdlib", "-static", "-no-pie", "-fcf-protection=none", c, "-o", out)
		if said, err := exec.Command("gcc", flags...).CombinedOutput(); err != nil {
			if flags[0] == "-m32" {
				t.Skipf("gcc -m32: %v\n%s", err, said)
			}
			t.Fatalf("%v\n%s", err, said)
		}
		im, err := Open(out)
		if err != nil {
			t.Fatal(err)
		}
		return im
	}
	for _, c := range []struct {
		name, begin string
		flags       []string
	}{
		{"x86-64", "entry_64", []string{"-m64", "-mcmodel=large", "-Wl,-Ttext-segment=0x8004200000", "-Wl,-e,run_test"}},
		{"i386", "main", []string{"-m32", "-Wl,-Ttext-segment=0xc0020000", "-Wl,-e,run_test"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			im := build(likePintos, c.flags...)
			if im.Kernel != Bare || im.Pintos == nil {
				t.Fatalf("taken for %v, %+v", im.Kernel, im.Pintos)
			}
			begin, _ := im.Symbol(c.begin)
			idle, _ := im.Symbol("idle_thread")
			if p := im.Pintos; p.Status != 24 || p.Priority != 44 || p.Size != 48 || p.Begin != begin.Addr || p.Idle != idle.Addr {
				t.Errorf("%+v, want status at 24, priority at 44 of 48 bytes, begin %#x, idle %#x", p, begin.Addr, idle.Addr)
			}
			if c.name == "i386" && im.Bias != 0xc0000000 {
				t.Errorf("bias %#x", im.Bias)
			}
			up, _ := im.Symbol("sema_up")
			if n := len(im.Returns(up)); n == 0 {
				t.Error("no return found in sema_up")
			}
			if p := im.Pintos; p.Running != 0 || p.Ready != 1 || p.Dying != 3 {
				t.Errorf("%+v, want the course's statuses, 0, 1 and 3", p)
			}
			more := strings.Replace(likePintos, "int status", "enum { THREAD_RUNNING, THREAD_READY, THREAD_BLOCKED, THREAD_SLEEPING, THREAD_DYING } status", 1)
			if p := build(more, c.flags...).Pintos; p.Running != 0 || p.Ready != 1 || p.Dying != 4 {
				t.Errorf("%+v, want statuses 0, 1 and 4", p)
			}
			if im := build(strings.ReplaceAll(likePintos, "debug_panic", "another"), c.flags...); im.Pintos != nil {
				t.Errorf("known without debug_panic: %+v", im.Pintos)
			}
		})
	}
}
