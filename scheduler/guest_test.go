package scheduler

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"landgo/emu"
	"landgo/image"
	"landgo/kernel/linux"
	"landgo/trace"
)

// compile builds a C program, statically, with a compiler.
func compile(t testing.TB, cc, source string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	src, out := filepath.Join(dir, "guest.c"), filepath.Join(dir, "guest")
	if err := os.WriteFile(src, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-g", "-O1", "-static", "-pthread", src, "-o", out}, flags...)
	if msg, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, msg)
	}
	return out
}

// boot brings a program under control.
func boot(t testing.TB, path string, cfg Config) *System {
	t.Helper()
	img, err := image.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	mc := emu.Config{}
	for _, r := range img.Code {
		mc.Code = append(mc.Code, emu.Range{Lo: r.Lo, Hi: r.Hi})
	}
	m, err := emu.New(mc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if cfg.StepBudget == 0 {
		cfg.StepBudget = 10_000_000
	}
	s := New(cfg, m, img)
	k, err := linux.New(s, img, linux.Config{Args: []string{"guest"}})
	if err != nil {
		t.Fatal(err)
	}
	regs, err := k.Boot()
	if err != nil {
		t.Fatal(err)
	}
	s.Boot(k, img.Roles(img.DefaultProfile()), &regs)
	return s
}

// ends counts the ends of executions of a full enumeration.
type ends struct{ runs, bugs, stuck, steps int }

// enumerate runs every interleaving, depth first.
func enumerate(t testing.TB, s *System) ends {
	root := s.Mark()
	for {
		s.Rewind(root)
		var e ends
		if enumerateFrom(t, s, &e) {
			return e
		}
	}
}

func enumerateFrom(t testing.TB, s *System, e *ends) bool {
	k := s.Mark()
	ths := s.Threads(nil)
	ran := false
	for _, th := range ths {
		if th.Status != trace.Ready {
			continue
		}
		for c := uint32(0); c < th.Outcomes; c++ {
			ran = true
			tr, err := s.Step(th.ID, trace.Choice(c))
			if err != nil {
				if tr == nil {
					t.Fatal(err)
				}
				return false // finer: again
			}
			e.steps++
			switch tr.End {
			case trace.EndProcess:
				e.runs++
			case trace.EndBug:
				e.runs++
				e.bugs++
			default:
				if !enumerateFrom(t, s, e) {
					return false
				}
			}
			s.Rewind(k)
		}
	}
	if !ran {
		e.runs++
		if s.Stuck(false) != nil {
			e.stuck++
		}
	}
	return true
}

const lostUpdate = `
#include <pthread.h>
#include <assert.h>
volatile int counter;
void *inc(void *a) { (void)a; int v = counter; counter = v + 1; return 0; }
int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, inc, 0); pthread_create(&b, 0, inc, 0);
	pthread_join(a, 0); pthread_join(b, 0);
	assert(counter == 2);
	return 0;
}`

func TestLostUpdate(t *testing.T) {
	for _, cc := range []string{"gcc", "musl-gcc"} {
		t.Run(cc, func(t *testing.T) {
			s := boot(t, compile(t, cc, lostUpdate), Config{Points: PointMem})
			got := enumerate(t, s)
			// Each thread reads, then writes: C(4,2) = 6 orders, of which 2 are
			// serial. Where the first thread ends before the second, main's join
			// can come at 3 places (once) or 2 (twice): 3 + 4 + 3 runs.
			if got.runs != 10 || got.bugs != 6 || got.stuck != 0 {
				t.Errorf("%+v, want 10 runs with 6 bugs", got)
			}
		})
	}
}
