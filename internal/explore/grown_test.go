package explore

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

// grownHead has loops that count their turns without an end. With CAPPED the count stays at its most, so
// that their states recur.
const grownHead = heapHead + `
#include <stdatomic.h>
#include <sched.h>
static atomic_int flag, other, seen;
#define PAUSE __builtin_ia32_pause()
#ifdef CAPPED
#define COUNT(n, most) (n = n > most ? n : n + 1)
#else
#define COUNT(n, most) (n++)
#endif
struct backoff { unsigned long pad; unsigned step; };
static __attribute__((noinline)) void heavy(struct backoff *b) { if (b->step <= 2) for (unsigned i = 0; i < b->step * b->step; i++) PAUSE; else sched_yield(); COUNT(b->step, 2); }
static inline void light(struct backoff *b) { unsigned m = b->step < 2 ? b->step : 2; for (unsigned i = 0; i < m * m; i++) PAUSE; COUNT(b->step, 2); }
static void note(int v) { int s = seen; while (!atomic_compare_exchange_weak(&seen, &s, s * 5 + v)) ; }
`

// grownLoops wait until WORD is V or less than that, or tell how long they have waited.
var grownLoops = []string{
	"{ unsigned n = 0; while (WORD != V) { if (n <= 2) for (unsigned i = 0; i < n * n; i++) PAUSE; else sched_yield(); COUNT(n, 2); } }",
	"{ struct backoff b = {7, 0}; while (WORD != V) heavy(&b); }",
	"{ struct backoff b = {7, 0}; while (WORD != V) light(&b); }",
	"{ unsigned long n = 1; while (WORD != V) { if (n < 3) PAUSE; COUNT(n, 2); } }",
	"{ int n = 0; while (WORD != V) { if (n > 1) sched_yield(); COUNT(n, 1); } }",
	"{ int n = 0; while (WORD != V) { if (n == 2) other = 2; COUNT(n, 2); } }",
	"{ int n = 0; while (WORD != V) { PAUSE; COUNT(n, 2); } if (n > 1) note(3); }",
	"{ unsigned n = 0; int f; while ((f = WORD) != V) { if (f == 1) n = 0; else COUNT(n, 2); if (n > 2) sched_yield(); } }",
	"{ int n = 0, m = 0; while (WORD != V) { if (m < 2) { PAUSE; COUNT(m, 2); } else { COUNT(n, 1); sched_yield(); } } }",
}

// grownProgram is a program of threads that wait and one that writes.
func grownProgram(r *rand.Rand) string {
	var b, body strings.Builder
	b.WriteString(grownHead)
	waiting := 1 + r.Intn(2)
	for n := range waiting {
		fmt.Fprintf(&b, "static void *waits%d(void *a) { ", n)
		loops := 1 + r.Intn(3-waiting)
		for range loops {
			word := []string{"flag", "flag", "other"}[r.Intn(3)]
			b.WriteString(strings.NewReplacer("WORD", word, "V", "2").Replace(grownLoops[r.Intn(len(grownLoops))]))
		}
		fmt.Fprintf(&b, " note(%d); return a; }\n", 1+n)
		fmt.Fprintf(&body, "GO(t%d, waits%d); ", n, n)
	}
	b.WriteString("static void *sets(void *a) { ")
	for range r.Intn(3) {
		fmt.Fprintf(&b, "%s = %d; ", []string{"flag", "other"}[r.Intn(2)], r.Intn(3))
	}
	b.WriteString("other = 2; flag = 2; return a; }\n")
	body.WriteString("GO(u, sets); pthread_join(u, 0); ")
	for n := range waiting {
		fmt.Fprintf(&body, "pthread_join(t%d, 0); ", n)
	}
	fmt.Fprintf(&b, "int main(void) { %sprintf(\"%%d %%d\\n\", seen, other); return 0; }\n", body.String())
	return b.String()
}

// TestGrown: a loop that counts its turns without an end has the outcomes that it has with a count that
// stays at its most, where all turns are run. Without optimisation the count is on the stack.
func TestGrown(t *testing.T) {
	t.Parallel()
	n, from := 24, int64(1)
	tried, fewer := make(chan bool, n), make(chan bool, n)
	t.Run("programs", func(t *testing.T) {
		for i := range n {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				source := grownProgram(rand.New(rand.NewSource(from + int64(i))))
				level := []string{"-O0", "-O1", "-O2"}[i%3]
				cfg := onProgram(compile.Text(t, "gcc", source, level, "-DCAPPED"))
				tried <- true // another part may have it (internal/part)
				cfg.Model, cfg.Race, cfg.Search, cfg.MaxExecutions = config.ModelSC, config.RaceOff, "sleep", 60000
				all := ran(t, cfg)
				cfg.Guest, cfg.Search, cfg.MaxExecutions = compile.Text(t, "gcc", source, level), "optimal", 1000
				few := ran(t, cfg)
				t.Logf("%s: %s, %d executions, %d of them with a count that ends (%s)", level, few.Verdict, few.Executions, all.Executions, all.Verdict)
				if few.Verdict != "verified" || all.Verdict != "verified" {
					return
				}
				fewer <- true
				if differentOutputs(all) != differentOutputs(few) {
					t.Errorf("outputs %q, with all turns %q in\n%s", differentOutputs(few), differentOutputs(all), source)
				}
			})
		}
	})
	if len(fewer) < len(tried)/2 {
		t.Errorf("%d of %d programs are verified", len(fewer), len(tried))
	}
}
