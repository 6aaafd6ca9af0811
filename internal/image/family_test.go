package image

import (
	"errors"
	"landgo/internal/image/linked"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
)

// likePintos has the names by which a kernel of that family is known, and nothing
// else of it.
const likePintos = `
struct thread { int tid; char more[20]; int status; char name[16]; int priority; };
static struct thread *volatile idle_thread;
long boot_pml4e[512];
int init_ram_pages;
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

// TestFamily: a kernel is known by its functions, wherever its fields are and whatever
// statuses it has; and one that lacks a function isn't.
func TestFamily(t *testing.T) {
	dir := t.TempDir()
	build := func(source string, flags ...string) *Image {
		t.Helper()
		c, out := filepath.Join(dir, "kernel.c"), filepath.Join(dir, "kernel")
		if err := os.WriteFile(c, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		flags = append([]string{flags[0], "-g"}, append(flags[1:], "-O1", "-fno-inline", "-ffreestanding", "-fno-pic", "-nostdlib", "-static", "-no-pie", "-fcf-protection=none", c, "-o", out)...)
		if said, err := exec.Command("gcc", flags...).CombinedOutput(); err != nil {
			if flags[0] == "-m32" {
				t.Skipf("gcc -m32: %v\n%s", err, said)
			}
			t.Fatalf("%v\n%s", err, said)
		}
		im, err := Open(out, linked.Search{})
		if err != nil {
			t.Fatal(err)
		}
		return im
	}
	// built is the kernel by landgo's profile; nil if it has none.
	built := func(source string, flags ...string) (*Image, *profile.OwnKernel) {
		t.Helper()
		im := build(source, flags...)
		p, err := profile.BuiltIn(im.Info)
		if err != nil {
			t.Fatal(err)
		}
		return im, p.OwnKernel(im.Info)
	}
	for _, c := range []struct {
		name, begin string
		priority    uint64
		flags       []string
	}{
		{"x86-64", "entry_64", 24, []string{"-m64", "-mcmodel=large", "-Wl,-Ttext-segment=0x8004200000", "-Wl,-e,run_test"}},
		{"i386", "main", 28, []string{"-m32", "-Wl,-Ttext-segment=0xc0020000", "-Wl,-e,run_test"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			im, k := built(likePintos, c.flags...)
			if im.Kernel != elffile.Bare || k == nil {
				t.Fatalf("taken for %v, %+v", im.Kernel, k)
			}
			begin, _ := im.Symbol(c.begin)
			idle, _ := im.Symbol("idle_thread")
			if k.State != (debuginfo.Member{Offset: 24, Size: 4}) || k.Priority != (debuginfo.Member{Offset: 44, Size: 4}) || k.Size != 48 || k.Loader.Entry != begin.Addr || !slices.Equal(k.Idle, []uint64{idle.Addr}) {
				t.Errorf("%+v, want status at 24, priority at 44 of 48 bytes, begin %#x, idle %#x", k, begin.Addr, idle.Addr)
			}
			if c.name == "i386" && im.Bias != 0xc0000000 {
				t.Errorf("bias %#x", im.Bias)
			}
			up, _ := im.Symbol("sema_up")
			if n := len(static.Returns(im.File, up.Addr)); n == 0 {
				t.Error("no return found in sema_up")
			}
			if !slices.Equal(k.Ready, []int64{0, 1}) || !slices.Equal(k.Ended, []int64{3}) {
				t.Errorf("%+v, want the course's statuses, 0, 1 and 3", k)
			}
			more := strings.Replace(likePintos, "int status", "enum { THREAD_RUNNING, THREAD_READY, THREAD_BLOCKED, THREAD_SLEEPING, THREAD_DYING } status", 1)
			if _, k := built(more, c.flags...); !slices.Equal(k.Ready, []int64{0, 1}) || !slices.Equal(k.Ended, []int64{4}) {
				t.Errorf("%+v, want statuses 0, 1 and 4", k)
			}
			if _, k := built(likePintos, append(slices.Clone(c.flags), "-g0")...); k.State != (debuginfo.Member{Offset: 4, Size: 4}) || k.Priority != (debuginfo.Member{Offset: c.priority, Size: 4}) || k.Size != 1024 {
				t.Errorf("%+v, want the course's places without debug information", k)
			}
			if im, k := built(strings.ReplaceAll(likePintos, "debug_panic", "another"), c.flags...); k != nil {
				t.Errorf("%v known without debug_panic: %+v", im.Kernel, k)
			}
			apart := strings.ReplaceAll(strings.ReplaceAll(likePintos, "entry_64", "another"), "main", "another")
			if c.name == "i386" {
				apart = strings.Replace(apart, "void another(void) { run_test(); }", "", 1)
			} else {
				apart = strings.Replace(apart, "int another(void) { run_test(); return 0; }", "", 1)
			}
			var e *profile.Error
			if _, err := profile.BuiltIn(build(apart, c.flags...).Info); !errors.As(err, &e) || e.Line == 0 {
				t.Errorf("without the entry: %v", err)
			}
		})
	}
}
