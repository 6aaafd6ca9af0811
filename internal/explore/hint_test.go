package explore

import (
	"fmt"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

const hintHead = heapHead + `
#include <stdatomic.h>
#include <stdio.h>
#include <sched.h>
static atomic_int n, held, seen, zero;
static int plain, data;
typedef struct node { struct node *next; } node;
static _Atomic(node *) top;
static node nodes[4];
static void add(int by) { int v = atomic_load(&n); while (!atomic_compare_exchange_weak(&n, &v, v + by)) ; }
static void *adds(void *a) { add(1); return a; }
static void *twice(void *a) { add(1); add(1); return a; }
static void *doubles(void *a) { int v = atomic_load(&n); while (!atomic_compare_exchange_weak(&n, &v, 2 * v + 1)) ; return a; }
static void *guesses(void *a) { int v = 0; while (!atomic_compare_exchange_strong(&n, &v, v + 1)) ; return a; }
static void *push(node *p) { p->next = atomic_load(&top); while (!atomic_compare_exchange_weak(&top, &p->next, p)) ; return p; }
static void *push0(void *a) { push(&nodes[0]); return a; }
static void *push1(void *a) { push(&nodes[1]); return a; }
static void *push2(void *a) { push(&nodes[2]); return a; }
static void most(int m) { int v = atomic_load(&n); while (v < m && !atomic_compare_exchange_weak(&n, &v, m)) ; }
static void *most1(void *a) { most(1); return a; }
static void *most2(void *a) { most(2); return a; }
static void *most3(void *a) { most(3); return a; }
static void *reads(void *a) { for (;;) { int v = atomic_load(&held); if (v >= 0 && atomic_compare_exchange_weak(&held, &v, v + 1)) break; } int d = data; atomic_fetch_sub(&held, 1); atomic_fetch_add(&seen, d); return a; }
static void *writes(void *a) { int z = 0; while (!atomic_compare_exchange_weak(&held, &z, -1)) z = 0; data++; atomic_store(&held, 0); return a; }
static void *looks(void *a) { for (;;) { while (atomic_load(&held)) ; if (!atomic_exchange(&held, 1)) break; } data++; held = 0; return a; }
static void *leaves(void *a) { int z = 0; while (!atomic_compare_exchange_strong(&held, &z, -1)) z = 0; return a; }
static void *get(void *a) { int v = atomic_load(&n); do { if (!v) { zero = 1; return a; } } while (!atomic_compare_exchange_weak(&n, &v, v + 1)); atomic_fetch_sub(&n, 1); return a; }
static void *put(void *a) { atomic_fetch_sub(&n, 1); return a; }
static void *counts(void *a) { int k = 0, v = atomic_load(&n); while (!atomic_compare_exchange_strong(&n, &v, v + 1)) k++; seen = seen + 16 * k; return a; }
static void *gives(void *a) { int v = atomic_load(&n); for (int k = 0; k < 2; k++) if (atomic_compare_exchange_strong(&n, &v, v + 1)) return a; seen = seen + 16; return a; }
static void *first(void *a) { int f = atomic_load(&n), v = f; while (!atomic_compare_exchange_strong(&n, &v, v + 1)) ; seen = seen + 16 * f; return a; }
static void *once(void *a) { if (atomic_load(&n) < 2) { int v = 1; if (atomic_compare_exchange_strong(&n, &v, 7)) seen = seen + 16; else seen = seen + v; } return a; }
static void *back(void *a) { n = 5; n = 0; return a; }
static void *half(void *a) { *(volatile short *)&n = 3; return a; }
static void *tell(void *a) { int v = atomic_load(&n); while (!atomic_compare_exchange_strong(&n, &v, v + 1)) seen = seen | v << 4; return a; }
static void *yields(void *a) { int v = atomic_load(&n); while (!atomic_compare_exchange_strong(&n, &v, v + 1)) sched_yield(); return a; }
static void *old(void *a) { int v = *(volatile int *)&plain; while (!__sync_bool_compare_and_swap(&plain, v, v + 1)) v = *(volatile int *)&plain; return a; }
static void *fails(void *a) { int v = atomic_load(&n); while (!atomic_compare_exchange_weak(&n, &v, v + 1)) ; assert(v != 2); return a; }
`

const (
	threeGo   = "GO(t, %[1]s); GO(u, %[1]s); GO(v, %[1]s); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);"
	threeGoes = "GO(t, %s); GO(u, %s); GO(v, %s); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);"
)

// TestHints: a load and the exchange behind it are one step, where nothing tells how often the exchange has
// failed. The counts are those of the orders in which threads change the word.
func TestHints(t *testing.T) {
	t.Parallel()
	for _, p := range []triesRow{
		{"three add", fmt.Sprintf(threeGo, "adds"), "verified", 6, false},
		{"one adds twice", fmt.Sprintf(threeGoes, "twice", "adds", "adds"), "verified", 12, false},
		{"three double", fmt.Sprintf(threeGo, "doubles"), "verified", 6, false},
		{"a stack", fmt.Sprintf(threeGoes, "push0", "push1", "push2"), "verified", 6, false},
		{"the most", fmt.Sprintf(threeGoes, "most1", "most2", "most3"), "verified", 5, false},
		{"a lock of readers and writers", fmt.Sprintf(threeGoes, "writes", "reads", "reads"), "verified", 14, false},
		{"a lock that is looked at", fmt.Sprintf(threeGo, "looks"), "verified", 6, false},
		{"another tells a value between", fmt.Sprintf(threeGoes, "adds", "adds", "back"), "verified", 0, false},
		{"a guess", fmt.Sprintf(threeGo, "guesses"), "verified", 0, false},
		{"not if it is zero", "n = 1; " + fmt.Sprintf(threeGoes, "get", "get", "put"), "verified", 0, false},
		{"it counts its tries", fmt.Sprintf(threeGo, "counts"), "verified", 0, false},
		{"it gives up", fmt.Sprintf(threeGo, "gives"), "verified", 0, false},
		{"it keeps what it found first", fmt.Sprintf(threeGo, "first"), "verified", 0, false},
		{"it compares with another number", "n = 1; " + fmt.Sprintf(threeGoes, "once", "adds", "once"), "verified", 0, false},
		{"it tells what it found", fmt.Sprintf(threeGo, "tell"), "verified", 0, false},
		{"another stores a half", fmt.Sprintf(threeGoes, "adds", "adds", "half"), "verified", 0, false},
		{"it yields", fmt.Sprintf(threeGo, "yields"), "verified", 0, false},
		{"of a variable that isn't declared atomic", "GO(t, old); GO(u, old); pthread_join(t, 0); pthread_join(u, 0); assert(plain == 2);", "verified", 0, false},
		{"one finds two", fmt.Sprintf(threeGo, "fails"), "assertion", 0, false},
		{"it isn't given back", "GO(t, leaves); GO(u, reads); pthread_join(t, 0); pthread_join(u, 0);", "livelock", 0, false},
		{"nor by one that tries first", "GO(t, leaves); GO(u, writes); pthread_join(t, 0); pthread_join(u, 0);", "livelock", 0, false},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, level := range []string{"-O0", "-O1", "-O2"} {
				cfg := onProgram(compile.Text(t, "gcc", hintHead+"int main(void) { "+p.main+" printf(\"%d %d %d %d\\n\", n, data, seen, zero); return 0; }", level))
				p.judgeHints(t, cfg, level)
			}
		})
	}
}

// judgeHints compares it with loads and exchanges as steps of their own.
func (p *triesRow) judgeHints(t *testing.T, cfg config.Config, level string) {
	if p.verdict != "verified" {
		endsAs(t, cfg, p.verdict, "optimal", "source")
		return
	}
	for _, mode := range []string{config.RaceLimited, config.RaceOff} {
		cfg.Race, cfg.Search = mode, "sleep:commute=0"
		all := ran(t, cfg)
		for _, cfg.Search = range []string{"optimal", "source"} {
			few := ran(t, cfg)
			if got := ended(few); got != p.verdict {
				t.Errorf("%s %s: %s (%s), want %s", level, cfg.Search, got, few.Reason, p.verdict)
			}
			if differentOutputs(all) != differentOutputs(few) {
				t.Errorf("%s %s: outputs %q, with loads apart %q", level, cfg.Search, differentOutputs(few), differentOutputs(all))
			}
			if few.RaceCount != all.RaceCount {
				t.Errorf("%s %s: %d races, with loads apart %d", level, cfg.Search, few.RaceCount, all.RaceCount)
			}
			if p.executions > 0 && (few.Executions != p.executions || few.Blocked > 0) {
				t.Errorf("%s %s: %d executions, %d blocked, want %d", level, cfg.Search, few.Executions, few.Blocked, p.executions)
			}
		}
	}
}
