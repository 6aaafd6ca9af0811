package explore

import (
	"context"
	"slices"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// TestOrderedRaces: what a lock that is made of atomic operations protects isn't listed as
// a race where all interleavings were run; what isn't protected in one of them is.
func TestOrderedRaces(t *testing.T) {
	t.Parallel()
	const head = heapHead + `#include <stdatomic.h>
static atomic_int l, owner, next; static volatile int plain; static atomic_flag f = ATOMIC_FLAG_INIT; static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *w(void *a) { `
	const tail = ` return a; }
int main(void) { GO(t, w); GO(u, w); pthread_join(t, 0); pthread_join(u, 0); (void)l, (void)owner, (void)next, (void)plain, (void)f, (void)y, (void)m; return x != 2; }`
	for _, c := range []struct {
		name, body string
		want       []string // the variables of the races
	}{
		{"an exchange", "while (atomic_exchange(&l, 1)) ; x++; atomic_store(&l, 0);", nil},
		{"a store that releases", "while (atomic_exchange(&l, 1)) ; x++; atomic_store_explicit(&l, 0, memory_order_release);", nil},
		{"a flag", "while (atomic_flag_test_and_set(&f)) ; x++; atomic_flag_clear(&f);", nil},
		{"tickets", "int i = atomic_fetch_add(&next, 1); while (atomic_load(&owner) != i) ; x++; atomic_store(&owner, i + 1);", nil},
		{"a word that isn't declared", "while (__sync_lock_test_and_set(&plain, 1)) ; x++; __sync_lock_release(&plain);", []string{"plain"}},
		{"a count beside it", "y++; atomic_fetch_add(&l, 1); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);", []string{"y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := Run(context.Background(), onProgram(compile.Text(t, "gcc", head+c.body+tail)), nil)
			if err != nil || r.Verdict != result.Verified {
				t.Fatalf("%+v %v", r, err)
			}
			var got []string
			for i := range r.Races {
				got = append(got, r.Races[i].Variable)
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, c.want) {
				t.Errorf("races of %v are listed, want %v", got, c.want)
			}
			if r.RaceCount != uint64(len(r.Races)) {
				t.Errorf("%d races are counted, and %d listed", r.RaceCount, len(r.Races))
			}
		})
	}
}

// TestOrderedSoFar: a run may end before all interleavings were run. What a lock of atomic
// operations protects is reported as ordered then, and what it doesn't protect as a race.
func TestOrderedSoFar(t *testing.T) {
	t.Parallel()
	guest := compile.Text(t, "gcc", heapHead+`#include <stdatomic.h>
static atomic_int l, turn; static int x, y, z;
static void lock(void) { while (atomic_exchange(&l, 1)) ; }
static void *w(void *a) { lock(); x++; z = 1; atomic_store(&l, 0); y++; return a; }
int main(void) { GO(t, w); GO(u, w); pthread_join(t, 0); pthread_join(u, 0); return x != 2 || z != 1 || y < 1 || y == 1; }`)
	for _, flags := range []struct {
		name string
		set  func(*config.Config)
	}{
		{"a bug, by landgo's own points", func(*config.Config) {}},
		{"a bound", func(c *config.Config) {
			c.PP, c.Deepen, c.Search, c.Bounds = trace.MemPoints, false, "bpor", por.Bounds{{Measure: por.Preempt, Limit: 0}}
		}},
	} {
		t.Run(flags.name, func(t *testing.T) {
			t.Parallel()
			cfg := onProgram(guest)
			flags.set(&cfg)
			r, err := Run(context.Background(), cfg, nil)
			if err != nil || r.Verdict == result.Verified {
				t.Fatalf("%+v %v", r, err)
			}
			told := map[string]bool{}
			for i := range r.Races {
				if p := &r.Races[i]; !p.Ordered {
					told[p.Variable] = true
				} else if p.Variable != "x" && p.Variable != "z" {
					t.Errorf("%s is reported as ordered", p.Variable)
				}
			}
			if len(told) != 1 || !told["y"] {
				t.Errorf("races of %v aren't ordered, want y alone: %+v", told, r.Races)
			}
		})
	}
}
