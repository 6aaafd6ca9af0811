package explore

import (
	"context"
	"slices"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
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
