package explore

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"landgo/result"
)

// figures are the example programs of Blum and Gibson (OOPSLA 2016), by figure.
var figures = map[string]string{
	"1": `
static volatile int x;
static void *one(void *a) { pthread_mutex_lock(&mx); int tmp = x; x = tmp + 1; pthread_mutex_unlock(&mx); return a; }
static void *two(void *a) { __sync_fetch_and_add(&x, 1); sched_yield(); __sync_fetch_and_add(&x, 1); assert(x >= 2); return a; }
`,
	"3a": `
static volatile int x;
static void *one(void *a) { x++; pthread_mutex_lock(&mx); pthread_mutex_unlock(&mx); return a; }
static void *two(void *a) { pthread_mutex_lock(&mx); pthread_mutex_unlock(&mx); x++; return a; }
`,
	"3b": `
static volatile int x, y;
static void *one(void *a) { x++; pthread_mutex_lock(&mx); y = 1; pthread_mutex_unlock(&mx); return a; }
static void *two(void *a) { pthread_mutex_lock(&mx); int tmp = y; pthread_mutex_unlock(&mx); if (tmp) x++; return a; }
`,
	"5": `
static int *volatile shared;
static void *one(void *a) { int *x = malloc(8); *x = 1; free(x); return a; }
static void *two(void *a) { int *y = malloc(8); *y = 0; shared = y; *y = 2; return a; }
`,
	"6": `
static int *volatile shared;
static void *one(void *a) { int *x = malloc(8); shared = x; *(volatile int *)x = 1; free(x); return a; }
static void *two(void *a) { int *x2 = shared; int *volatile y = malloc(8); if (x2) *(volatile int *)x2 = 2; free(y); return a; }
`,
}

const figureHead = `#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;
`

const figureMain = `
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
`

// TestFiguresOfQuicksand: deepening, without ever preempting at every access,
// comes to what the paper says of its examples.
func TestFiguresOfQuicksand(t *testing.T) {
	leaveOutWhole(t)
	for _, c := range []struct {
		figure, race string
		verdict      result.Verdict
		kind         result.Kind
		preemptions  int
		class        string // of the race on x, "" for none
	}{
		// Two preemptions at racing instructions are needed (Figure 1).
		{"1", RaceLimited, result.Buggy, "assertion", 2, "bug"},
		// A true race whichever definition finds it (§2.2): it can be reordered,
		// and nothing fails.
		{"3a", RaceLimited, result.Verified, "", 0, "benign"},
		{"3a", RaceHB, result.Verified, "", 0, "benign"},
		// A false alarm of limited happens-before only: it can't be reordered.
		{"3b", RaceLimited, result.Verified, "", 0, "false positive"},
		{"3b", RaceHB, result.Verified, "", 0, ""},
		// What recycled memory makes look like a race is none (§5.2).
		{"5", RaceLimited, result.Verified, "", 0, ""},
		// The adversary of a single pass: the access comes to a freed block.
		{"6", RaceLimited, result.Buggy, "use-after-free", 0, ""},
	} {
		t.Run(c.figure+" "+c.race, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Guest, cfg.Out, cfg.Race = compileFigure(t, c.figure), NoFile, c.race
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			if r.Verdict != c.verdict || r.Bug != nil && (r.Bug.Kind != c.kind || r.Bug.Preemptions != c.preemptions) {
				t.Fatalf("%s, want %s: %+v", r.Verdict, c.verdict, r.Bug)
			}
			class := ""
			for _, p := range r.Races {
				if p.Variable == "x" && class != "bug" && class != "benign" {
					class = p.Class
				}
			}
			if class != c.class {
				t.Errorf("the race on x is %q, want %q: %+v", class, c.class, r.Races)
			}
		})
	}
	// None of the spaces of Figure 2 has the bug of Figure 1.
	cfg := DefaultConfig()
	cfg.Guest, cfg.Out = compileFigure(t, "1"), NoFile
	for _, pp := range []string{"yield", "lock", "unlock", "lock,unlock"} {
		if err := OptionNamed("pp").Apply(&cfg, pp); err != nil {
			t.Fatal(err)
		}
		if r, err := Run(context.Background(), cfg, nil); err != nil || r.Verdict != result.Verified || r.Unexamined == 0 {
			t.Errorf("figure 1 at %s: %v %+v", pp, err, r)
		}
	}
}

func compileFigure(t *testing.T, figure string) string {
	t.Helper()
	return compile(t, figureHead+figures[figure]+figureMain)
}

// compile builds a guest of the test's own.
func compile(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	source, out := filepath.Join(dir, "guest.c"), filepath.Join(dir, "guest")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command("gcc", "-g", "-O1", "-static", "-pthread", "-o", out, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	return out
}
