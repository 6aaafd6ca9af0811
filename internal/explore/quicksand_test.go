package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/guests"
	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestFiguresOfQuicksand: deepening, without ever preempting at every access, comes
// to what Blum and Gibson say of their examples (OOPSLA 2016, Figures 1, 3, 5 and
// 6). They are in guests/papers, with what their text says.
func TestFiguresOfQuicksand(t *testing.T) {
	leaveOutWhole(t)
	rows, err := guests.Papers()
	if err != nil {
		t.Fatal(err)
	}
	figures := 0
	for _, g := range rows {
		for definition, class := range g.Race {
			figures++
			t.Run(g.Name+" "+definition, func(t *testing.T) {
				cfg := config.Default()
				cfg.Guest, cfg.Out, cfg.Race = compile.Guest(t, g.Binary("musl-O2")), config.NoFile, definition
				r, err := Run(context.Background(), cfg, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Finish()
				if string(r.Verdict) != g.Verdict {
					t.Fatalf("%s, want %s", r.Verdict, g.Verdict)
				}
				if b := r.Bug; b != nil && (string(b.Kind) != g.Failures[0].Kind || b.Preemptions != g.Failures[0].Preemptions || !strings.Contains(b.Message, g.Failures[0].Hint)) {
					t.Errorf("%+v, want %+v", b, g.Failures[0])
				}
				got := ""
				for _, p := range r.Races {
					if p.Variable == "x" && got != "bug" && got != "benign" {
						got = p.Class
					}
				}
				if got != class {
					t.Errorf("the race on x is %q, want %q: %+v", got, class, r.Races)
				}
			})
		}
	}
	if figures != 10 {
		t.Errorf("%d figures and definitions, want those of five", figures)
	}
	// None of the spaces of Figure 2 has the bug of Figure 1.
	cfg := config.Default()
	cfg.Guest, cfg.Out = compile.Guest(t, "musl-O2/quicksand1"), config.NoFile
	for _, pp := range []string{"yield", "lock", "unlock", "lock,unlock"} {
		if err := config.OptionNamed("pp").Apply(&cfg, pp); err != nil {
			t.Fatal(err)
		}
		if r, err := Run(context.Background(), cfg, nil); err != nil || r.Verdict != result.Verified || r.Unexamined == 0 {
			t.Errorf("figure 1 at %s: %v %+v", pp, err, r)
		}
	}
}

// TestRecycledBetweenThreads: Figure 5 where glibc's own malloc, with one arena for
// all, gives the second thread the block that the first one gave back. No race is
// listed or examined, and what was spared is counted.
func TestRecycledBetweenThreads(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Out, cfg.Malloc = config.NoFile, config.MallocNative
	cfg.Guest = compile.Text(t, "gcc", `#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
static volatile int *volatile shared;
static void *one(void *a) { volatile int *x = malloc(2000); *x = 1; free((void *)x); return a; }
static void *two(void *a) {
	void *volatile first = malloc(8); /* which makes glibc's cache for this thread */
	volatile int *y = malloc(2000);
	*y = 0; shared = y; *y = 2; free(first);
	return a;
}
int main(void) { pthread_t t, u; mallopt(M_ARENA_MAX, 1); pthread_create(&t, 0, one, 0); pthread_create(&u, 0, two, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }
`)
	r, err := Run(context.Background(), cfg, nil)
	if err != nil || r.Verdict != result.Verified || len(r.Races) > 0 || r.RacesRecycled == 0 {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestRecycledFirst: Figure 6 where a pass over one execution misses the bug. glibc's own
// malloc gives the second thread the first one's block, so the two accesses look like
// Figure 5's. The preemption before the free, which shows that they aren't, is found all
// the same.
func TestRecycledFirst(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Out, cfg.Malloc = config.NoFile, config.MallocNative
	cfg.Guest = compile.Text(t, "gcc", `#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
static int *volatile shared;
static void *one(void *a) { int *x = malloc(2000); shared = x; *(volatile int *)x = 1; free(x); return a; }
static void *two(void *a) {
	void *volatile first = malloc(8); /* which makes glibc's cache for this thread */
	int *x2 = shared;
	int *volatile y = malloc(2000);
	if (x2) *(volatile int *)x2 = 2;
	free(y); free(first);
	return a;
}
int main(void) { pthread_t t, u; mallopt(M_ARENA_MAX, 1); pthread_create(&t, 0, one, 0); pthread_create(&u, 0, two, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }
`)
	pass := cfg
	pass.MaxExecutions = 1
	r, err := Run(context.Background(), pass, nil)
	if err != nil || r.Bug != nil || r.RacesRecycled == 0 {
		t.Fatalf("one execution: %v, %+v", err, r)
	}
	for _, p := range r.Races {
		if p.Variable != "shared" {
			t.Errorf("one execution shows a race of %s", p.Variable)
		}
	}
	r, err = Run(context.Background(), cfg, nil)
	if err != nil || r.Bug == nil || r.Bug.Kind != trace.UseAfterFree || r.Bug.Preemptions != 1 {
		t.Errorf("all executions: %v, %+v", err, r)
	}
}
