package explore

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// atFrameBase has gcc's assembly with the distances of local variables taken from a register,
// as rustc and clang give them.
func atFrameBase(t *testing.T, source string, base byte, more int, flags ...string) string {
	t.Helper()
	in := filepath.Join(t.TempDir(), "guest.c")
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("gcc", append([]string{"-S", "-g", "-O0", "-fno-pic", "-fno-stack-protector", "-o", "-", in}, flags...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\t.byte\t0x9c\n")); n == 0 {
		t.Fatal("gcc gives no frame base")
	}
	text = bytes.ReplaceAll(text, []byte("\t.byte\t0x9c\n"), []byte("\t.byte\t0x"+strconv.FormatUint(uint64(base), 16)+"\n"))
	place := regexp.MustCompile(`(\.byte\t0x91\n\t\.sleb128 )(-?\d+)`)
	return place.ReplaceAllStringFunc(string(text), func(s string) string {
		part := place.FindStringSubmatch(s)
		at, _ := strconv.Atoi(part[2])
		return part[1] + strconv.Itoa(at+more)
	})
}

// TestFrameBase: a local variable has its name where the compiler counts from the frame
// pointer, or from the stack pointer.
func TestFrameBase(t *testing.T) {
	t.Parallel()
	const source = `#include <pthread.h>
int *to;
void *add(void *a) { (*to)++; return a; }
int main(void) { int total[2] = { 0 }; pthread_t t, u; to = &total[1]; pthread_create(&t, 0, add, 0); pthread_create(&u, 0, add, 0);
 pthread_join(t, 0); pthread_join(u, 0); return total[1] != 2; }
`
	for _, c := range []struct {
		name  string
		base  byte
		more  int // from the frame to the base
		flags string
	}{
		{"the frame pointer", 0x56, 16, "-fno-omit-frame-pointer"},
		{"the stack pointer", 0x57, 48, "-fomit-frame-pointer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := atFrameBase(t, source, c.base, c.more, c.flags)
			if c.base == 0x57 && !strings.Contains(text, "subq\t$40, %rsp") {
				t.Fatal("main's frame has another size")
			}
			r, err := Run(context.Background(), onProgram(compile.Exact(t, "gcc", "guest.s", text, "-static", "-pthread")), nil)
			if err != nil || r.Verdict != result.Buggy || len(r.Races) == 0 {
				t.Fatalf("%+v %v", r, err)
			}
			if got := r.Races[0].Variable; got != "main::total[1] of thread 0" {
				t.Errorf("the race is of %s, want main::total[1] of thread 0", got)
			}
		})
	}
}

// TestRustNames: what rustc builds is told by its sources' names.
func TestRustNames(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("rustc"); err != nil {
		t.Skip("no rustc")
	}
	dir := t.TempDir()
	in, guest := filepath.Join(dir, "lost.rs"), filepath.Join(dir, "lost")
	if err := os.WriteFile(in, []byte(`static mut TOTAL: u32 = 0;
fn main() {
    let mut local = 0u32;
    let p = &raw mut local as usize;
    std::thread::scope(|s| for _ in 0..2 { s.spawn(move || unsafe { *(p as *mut u32) += 1; TOTAL += 1 }); });
    assert_eq!(local + unsafe { TOTAL }, 4);
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-g", "-C", "symbol-mangling-version=v0", "-o", guest, in}
	if out, err := exec.Command("rustc", args...).CombinedOutput(); err != nil {
		t.Skipf("rustc can't build: %v %s", err, out)
	}
	r, err := Run(context.Background(), onProgram(guest), nil)
	if err != nil || r.Verdict != result.Buggy {
		t.Fatalf("%+v %v", r, err)
	}
	named := map[string]bool{}
	for i := range r.Races {
		named[r.Races[i].Variable] = true
	}
	if !named["main::local of thread 0"] || !named["TOTAL"] {
		t.Errorf("the races are of %v, want main::local and TOTAL", named)
	}
	for _, s := range r.Bug.ThreadStarts {
		if strings.HasPrefix(s.Function, "_") || strings.HasSuffix(s.Label, " {closure#0}") {
			t.Errorf("a thread is %+v", s)
		}
	}
}
