package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

const polledHead = heapHead + `
#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define STORE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELEASE)
static int word, data, next, serving, slot[4], ready;
static int cas(int *at, int from, int to) { return __atomic_compare_exchange_n(at, &from, to, 0, 5, 5); }
static void *tas(void *a) { while (__sync_lock_test_and_set(&word, 1)) ; data++; __sync_lock_release(&word); return a; }
static void *ttas(void *a) { while (__sync_lock_test_and_set(&word, 1)) while (LOAD(word)) ; data++; __sync_lock_release(&word); return a; }
static void *looks(void *a) { do while (LOAD(word)) ; while (!cas(&word, 0, 1)); data++; STORE(word, 0); return a; }
static void *ticket(void *a) { int me = __atomic_fetch_add(&next, 1, 5); while (LOAD(serving) != me) ; data++; STORE(serving, me + 1); return a; }
static void *queued(void *a) { int me = __atomic_fetch_add(&next, 1, 5); while (!LOAD(slot[me])) ; data++; __atomic_exchange_n(&slot[me + 1], 1, 5); return a; }
static void *reads(void *a) { while (__atomic_fetch_sub(&word, 1, 5) <= 0) { __atomic_fetch_add(&word, 1, 5); while (LOAD(word) <= 0) ; } __atomic_fetch_add(&word, 1, 5); return a; }
static void *writes(void *a) { while (__atomic_fetch_sub(&word, 256, 5) != 256) { __atomic_fetch_add(&word, 256, 5); while (LOAD(word) != 256) ; } data++; __atomic_fetch_add(&word, 256, 5); return a; }
static void *adds(void *a) { int v = LOAD(word); while (!__atomic_compare_exchange_n(&word, &v, v + 1, 0, 5, 5)) ; return a; }
static void *tells(void *a) { data = 1; STORE(ready, 1); return a; }
static void *waits(void *a) { while (!LOAD(ready)) ; data++; return a; }
static void *late(void *a) { while (!LOAD(ready)) ; while (!LOAD(data)) ; return a; }
static void *spins(void *a) { while (!*(volatile int *)&ready) ; return a; }
`

// TestPolledRaces: a search that is spared polls, tries that fail, and loads before an exchange lists the races that
// one which runs them lists. It sees those in both orders, and may see others so: a spin's first turn isn't run where it
// would only poll.
func TestPolledRaces(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		name, begin, first, second string
		executions                 uint64
	}{
		{"test and set", "", "tas", "tas", 2},
		{"looked at behind the exchange", "", "ttas", "ttas", 2},
		{"looked at first", "", "looks", "looks", 2},
		{"tickets", "", "ticket", "ticket", 2},
		{"a queue of flags", "slot[0] = 1;", "queued", "queued", 2},
		{"readers and a writer", "word = 256;", "reads", "writes", 2},
		{"two writers", "word = 256;", "writes", "writes", 2},
		{"an addition by exchanges", "", "adds", "adds", 2},
		{"a flag", "", "tells", "waits", 1},
		{"a flag, and what it tells", "", "tells", "late", 1},
		{"no atomic access", "", "tells", "spins", 1},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, level := range []string{"-O0", "-O2"} {
				cfg := onProgram(compile.Text(t, "gcc", fmt.Sprintf("%sint main(void) { %s GO(t, %s); GO(u, %s); pthread_join(t, 0); pthread_join(u, 0); return 0; }", polledHead, p.begin, p.first, p.second), level, "-Wno-unused"))
				for _, cfg.Race = range []string{config.RaceLimited, config.RaceHB} {
					cfg.Search = "none"
					want, inBoth := pairsListed(ran(t, cfg))
					if len(want) == 0 && p.first != "adds" {
						t.Fatalf("%s: none without a race", level)
					}
					for _, cfg.Search = range []string{"optimal", "source", "dpor", "trust"} {
						r := ran(t, cfg)
						got, both := pairsListed(r)
						missed := slices.ContainsFunc(inBoth, func(pair string) bool { return !slices.Contains(both, pair) })
						if !slices.Equal(got, want) || missed {
							t.Errorf("%s %s %s: races\n%s\nwant\n%s\nin both orders\n%s\nwant\n%s", level, cfg.Race, cfg.Search,
								strings.Join(got, "\n"), strings.Join(want, "\n"), strings.Join(both, "\n"), strings.Join(inBoth, "\n"))
						}
						if cfg.Search == "optimal" && r.Executions != p.executions {
							t.Errorf("%s: %d executions, want %d", level, r.Executions, p.executions)
						}
					}
				}
			}
		})
	}
}

// pairsListed are the races, and those that came in both orders.
func pairsListed(r *result.Result) (all, both []string) {
	for i := range r.Races {
		x := &r.Races[i]
		pair := []string{x.First.Instruction, x.Second.Instruction}
		slices.Sort(pair)
		all = append(all, x.Variable+": "+strings.Join(pair, " and "))
		if x.BothOrders {
			both = append(both, all[len(all)-1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all), both
}
