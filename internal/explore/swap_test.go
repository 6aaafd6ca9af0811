package explore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

const swapHead = heapHead + `
#include <stdatomic.h>
#include <stdio.h>
static atomic_int l, stop;
static int data, seen;
static int take(int from, int to) { return atomic_compare_exchange_strong(&l, &from, to); }
static void lock(void) { for (;;) { while (atomic_load(&l)) ; if (!atomic_exchange(&l, 1)) return; } }
static void clock_(void) { for (;;) { while (atomic_load(&l)) ; if (take(0, 1)) return; } }
static void bit(void) { for (;;) { while (atomic_load(&l) & 1) ; if (!(atomic_fetch_or(&l, 1) & 1)) return; } }
static void ends(void) { for (;;) { while (atomic_load(&l)) ; if (atomic_load(&stop) || !atomic_exchange(&l, 1)) return; } }
static void marks(void) { for (int failed = 0;; failed = 1) { while (atomic_load(&l)) ; if (!atomic_exchange(&l, 1)) { seen |= 16 * failed; return; } } }
static void two(void) { for (;;) { int v; while ((v = atomic_load(&l)) == 1) ; if (take(v, 1)) { seen |= 32 * v; return; } } }
static void dips(void) { for (;;) { while (atomic_load(&l)) ; if (!atomic_exchange(&l, 5)) return; atomic_exchange(&l, 1); } }
static void *a(void *p) { lock(); data++; atomic_store(&l, 0); return p; }
static void *b(void *p) { clock_(); data++; atomic_store_explicit(&l, 0, memory_order_release); return p; }
static void *c(void *p) { bit(); data++; atomic_fetch_and(&l, ~1); return p; }
static void *d(void *p) { lock(); data++; return p; }
static void *e(void *p) { ends(); seen |= 1; atomic_store(&l, 0); return p; }
static void *f(void *p) { atomic_store(&stop, 1); return p; }
static void *g(void *p) { marks(); data++; atomic_store(&l, 0); return p; }
static void *h(void *p) { two(); data++; atomic_store(&l, 2); return p; }
static void *i(void *p) { seen |= 8 * atomic_load(&l); return p; }
static void *k(void *p) { dips(); data++; atomic_store(&l, 0); return p; }
static void *m(void *p) { lock(); data++; if (atomic_exchange(&l, 0) == 5) seen |= 64; return p; }
static void *j(void *p) { atomic_fetch_add(&l, 2); return p; }
`

// TestSwaps: where a lock is looked at and then taken by an exchange, those that fail aren't run. The counts
// are the n! orders in which n threads take it.
func TestSwaps(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		threads, verdict string
		executions       uint64 // 0: not by a formula
	}{
		{"aa", "verified", 2}, {"aaa", "verified", 6}, {"bbb", "verified", 6}, {"ccc", "verified", 6}, {"aab", "verified", 6},
		{"ad", "livelock", 0}, {"aef", "verified", 0}, {"agg", "verified", 0}, {"hh", "verified", 0}, {"hha", "livelock", 0}, {"aai", "verified", 0}, {"abj", "livelock", 0},
		{"km", "livelock", 0},
	} {
		t.Run(p.threads, func(t *testing.T) {
			t.Parallel()
			few := sameWithoutTries(t, swapHead, p.threads)
			if got := ended(few); got != p.verdict {
				t.Errorf("%s (%s), want %s", got, few.Reason, p.verdict)
			}
			if p.executions > 0 && (few.Executions != p.executions || few.Blocked > 0) {
				t.Errorf("%d executions, %d blocked, want %d", few.Executions, few.Blocked, p.executions)
			}
		})
	}
}

// TestRandomSwaps does so with locks that are looked at, tried, taken and let go in ways of all kinds.
// LANDGO_SOAK_GUESTS, LANDGO_SEED and LANDGO_PROGRAM are as for TestRandomPrograms.
func TestRandomSwaps(t *testing.T) {
	t.Parallel()
	seed, programs, only, _ := randomRun(t, 1, 8)
	r := rand.New(rand.NewPCG(seed, 0))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for n := range programs {
		var text strings.Builder
		text.WriteString(swapHead)
		for k := range 4 {
			fmt.Fprintf(&text, "static void *t%d(void *p) { int v = 0, w = 0; for (;;) { while (%s) ; %s if (%s) break; %s } seen |= %s; data++; %s return p; }\n", k,
				pick("(v = atomic_load(&l))", "atomic_load(&l) == 1", "(v = atomic_load(&l)) > 1", "(v = atomic_load(&l)) & 1", "atomic_load(&l) && !atomic_load(&stop)"),
				pick("", "", "", "if (atomic_load(&stop)) break;"),
				pick("!atomic_exchange(&l, 1)", "atomic_exchange(&l, 1) != 1", "take(0, 1)", "take(0, 2)", "take(v, 1)", "!(atomic_fetch_or(&l, 1) & 1)", "(w = atomic_exchange(&l, 2)) == 0"),
				pick("", "", "", "v = 4;", "w = 4;", "if (atomic_load(&stop)) break;"),
				pick("0", "0", "v", "w", "8 * atomic_load(&l)"),
				pick("atomic_store(&l, 0);", "atomic_store(&l, 0);", "atomic_store_explicit(&l, 0, memory_order_release);", "atomic_store(&l, 2);", "atomic_fetch_and(&l, ~1);", "atomic_store(&stop, 1);", ""))
		}
		source := strings.NewReplacer("*a(", "*unused_a(", "*b(", "*unused_b(", "*c(", "*unused_c(", "*d(", "*unused_d(").Replace(text.String())
		for k := range 4 {
			source = strings.ReplaceAll(source, fmt.Sprintf("*t%d(", k), fmt.Sprintf("*%c(", 'a'+k))
		}
		threads := pick("ab", "aa", "abc", "aab", "abi", "abf", "abj", "cd")
		if only >= 0 && n != only {
			continue
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			sameWithoutTries(t, source, threads)
		})
	}
}

// sameWithoutTries compares searches with one that is spared nothing.
func sameWithoutTries(t *testing.T, head, threads string) (few *result.Result) {
	t.Helper()
	var start, join string
	for k, f := range threads {
		start += fmt.Sprintf("GO(t%d, %c); ", k, f)
		join += fmt.Sprintf("pthread_join(t%d, 0); ", k)
	}
	cfg := onProgram(compile.Text(t, "gcc", head+"int main(void) { "+start+join+"printf(\"%d %d %d\\n\", data, seen, l); return 0; }", "-O1", "-w"))
	cfg.Race, cfg.Model = config.RaceOff, config.ModelSC
	cfg.KeepGoing, cfg.MaxExecutions = true, 50_000
	cfg.Search = "sleep"
	all := ran(t, cfg)
	for _, cfg.Search = range []string{"source", "trust", "optimal"} {
		few = ran(t, cfg)
		if all.Verdict == result.Budget || few.Verdict == result.Budget && few.Problem == result.NoEnd {
			continue // too large to be compared, or threads that hinder each other for ever
		}
		if ended(few) != ended(all) || differentOutputs(few) != differentOutputs(all) {
			t.Errorf("%s: %s (%s) %q, with all tries %s (%s) %q\n%s", cfg.Search, ended(few), few.Reason, differentOutputs(few), ended(all), all.Reason, differentOutputs(all), head[len(swapHead)-1:])
		}
	}
	return few
}
